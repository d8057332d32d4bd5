//! Files of `shaders/`, compiled in.

/// A file of `shaders/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fragment {
    /// Its path below `shaders/`.
    pub path: &'static str,
    /// Its text.
    pub text: &'static str,
}

/// The fragment of a path below `shaders/`, compiled in.
macro_rules! fragment {
    ($path:literal) => {
        $crate::device::fragment::Fragment {
            path: $path,
            text: include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/", $path)),
        }
    };
}
pub(crate) use fragment;
