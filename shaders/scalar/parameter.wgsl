// A Scalar among the parameters of a launch, at a multiple of 16 bytes. It is a struct because GLSL, which naga writes
// for OpenGL, knows no @align: there only a struct is sure to lie where WGSL and Rust put it (std140).
struct Parameter {
    @size(16) value: Scalar,
}
