//! `hodgelet completions` and `hodgelet man`: what shells and `man` need to know of the command.

use super::Cli;
use crate::error::CommandError;
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use std::io::Write;

/// Flags of `hodgelet completions`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  hodgelet completions bash > ~/.local/share/bash-completion/completions/hodgelet
  hodgelet completions zsh > ~/.zfunc/_hodgelet
  hodgelet completions fish > ~/.config/fish/completions/hodgelet.fish")]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

/// Flags of `hodgelet man`.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  hodgelet man > hodgelet.1
  hodgelet man evaluate | man -l -")]
pub struct ManArgs {
    /// A subcommand, for its own page
    command: Option<String>,
}

/// Prints completions for a shell.
///
/// # Errors
///
/// [`CommandError::Stdout`].
pub fn completions(args: &CompletionsArgs) -> Result<(), CommandError> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "hodgelet", &mut text);
    print(&text)
}

/// Prints a manual page.
///
/// # Errors
///
/// [`CommandError::Usage`] when there is no such subcommand.
pub fn man(args: &ManArgs) -> Result<(), CommandError> {
    let mut command = with_all_help(Cli::command());
    command.build();
    let (page, title) = match &args.command {
        None => (command, "hodgelet".to_owned()),
        Some(name) => match command.find_subcommand(name) {
            Some(found) => (found.clone(), format!("hodgelet-{name}")),
            None => {
                let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
                let message = format!("`{name}` is not a subcommand; these are: {}", names.join(", "));
                return Err(CommandError::usage(message, None));
            }
        },
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(page).title(title).render(&mut text).map_err(CommandError::Stdout)?;
    print(&text)
}

/// The same with no flag kept out of the short help: manual pages leave out the text of those.
fn with_all_help(command: clap::Command) -> clap::Command {
    command.mut_args(|arg| arg.hide_short_help(false)).mut_subcommands(with_all_help)
}

fn print(text: &[u8]) -> Result<(), CommandError> {
    let mut out = std::io::stdout().lock();
    out.write_all(text).and_then(|()| out.flush()).map_err(CommandError::Stdout)
}
