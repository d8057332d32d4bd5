//! The command `nonius`.

#![allow(
    clippy::doc_markdown,
    reason = "comments on arguments are their help, where backticks would show"
)]

mod bench;
mod doctor;
mod exact;
mod info;
mod lu_study;
mod output;
mod picture;
mod plot;
mod print;
mod progress;
mod solve;
mod table;
mod tune;
mod warnings;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Linear algebra on any GPU, with arithmetic that is measured first.
#[derive(Parser)]
#[command(version, about, long_about = None)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Solve A x = b for a matrix from a Matrix Market file.
    Solve(solve::Arguments),
    /// Determinants, ranks and solutions without rounding, certified.
    Exact(exact::Arguments),
    /// Show the shape of a sparse matrix, and its bytes in every format.
    Info(info::Arguments),
    /// Draw the curve f(x, y) = 0 of a polynomial: every cell proved empty, proved crossed, or undecided.
    Plot(plot::Arguments),
    /// Show every device, and what its arithmetic is really like.
    Doctor(doctor::Arguments),
    /// Time operations against the device's own copy bandwidth.
    Bench(bench::Arguments),
    /// Repeat the first study of LU on a GPU (2005) on a device of today.
    LuStudy(lu_study::Arguments),
    /// Find the fastest variants of operations on a device, and keep them.
    Tune(tune::Arguments),
}

fn main() -> ExitCode {
    quiet_panics();
    warnings::show();
    // Clap prints usage errors and exits with 2.
    let outcome = match Arguments::parse().command {
        Command::Solve(arguments) => solve::run(&arguments),
        Command::Exact(arguments) => exact::run(&arguments),
        Command::Info(arguments) if arguments.table => table::run(&arguments),
        Command::Info(arguments) => info::run(&arguments),
        Command::Plot(arguments) => plot::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::LuStudy(arguments) => lu_study::run(&arguments),
        Command::Tune(arguments) => tune::run(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("nonius: {error}");
            ExitCode::FAILURE
        }
    }
}

/// What a shell gives for a program that has written to a pipe without a reader (128 and SIGPIPE).
const NO_READER: i32 = 141;

/// wgpu panics where a device is lost; the library catches that and returns an error, which says it better. And standard output
/// may refuse what is printed: because its reader has left early, as `head` does, of which nothing is to be said, or because a
/// disk is full. Either way, what the command was asked for may not have been done.
fn quiet_panics() {
    let default = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // What `println!` panics with is a formatted message.
        let message = panic.payload().downcast_ref::<String>().map_or("", String::as_str);
        if let Some(reason) = message.strip_prefix("failed printing to stdout: ") {
            // EPIPE; ERROR_BROKEN_PIPE and ERROR_NO_DATA.
            let codes: &[&str] = if cfg!(windows) { &["109", "232"] } else { &["32"] };
            if codes.iter().any(|code| reason.ends_with(&format!("(os error {code})"))) {
                std::process::exit(NO_READER);
            }
            eprintln!("nonius: standard output: {reason}");
            std::process::exit(1);
        }
        let within_wgpu = panic.location().is_some_and(|place| place.file().contains("wgpu"));
        if !within_wgpu {
            default(panic);
        }
    }));
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use clap::CommandFactory as _;

    use super::Arguments;

    /// Where debug assertions are on, clap ends a program whose commands name two things alike.
    #[test]
    fn nothing_in_a_command_is_named_twice() {
        let mut root = Arguments::command();
        root.build();
        let mut commands = vec![&root];
        while let Some(command) = commands.pop() {
            let arguments = command.get_arguments().map(clap::Arg::get_id);
            let groups = command.get_groups().map(clap::ArgGroup::get_id);
            let mut names = HashSet::new();
            for name in arguments.chain(groups) {
                assert!(names.insert(name), "{name} in {}", command.get_name());
            }
            commands.extend(command.get_subcommands());
        }
    }
}
