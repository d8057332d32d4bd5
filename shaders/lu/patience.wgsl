// For kernels whose workgroups wait for each other's words: they have to run at once, which WGSL does not promise, but the device was
// seen to do (src/device/at_once.rs). Who waits for too long says so in the status, where otherwise the first column without a pivot is,
// and waits no more; nor does who begins behind that.
const WAITED: u32 = 0xfffffffeu;

var<private> patience: u32;

fn have_patience(most: u32) { patience = select(most, 0u, atomicLoad(&status[0]) >= WAITED); }

fn give_up() {
    atomicMax(&status[0], WAITED);
    patience = 0u;
}
