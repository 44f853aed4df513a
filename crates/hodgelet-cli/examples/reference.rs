//! Writes the reference of the book: `settings.md` from the settings of the library, `commands.md` from the command.
//!
//! ```text
//! cargo run -p hodgelet-cli --example reference book/src/reference
//! ```
//!
//! `./test` fails when the pages differ from what this writes.

use clap::{Arg, ArgAction, Command, CommandFactory};
use hodgelet::settings::{Field, Fields, Kind, Settings, former_names};
use hodgelet_cli::commands::Cli;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;

const WRITTEN: &str = "<!-- Written by `cargo run -p hodgelet-cli --example reference book/src/reference`; do not edit. -->\n\n";

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).map(PathBuf::from);
    let Some(folder) = folder else { return Err(std::io::Error::other("expected the folder to write to")) };
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("settings.md"), settings())?;
    std::fs::write(folder.join("commands.md"), commands())
}

/// All settings: flags, Python, JSON.
fn settings() -> String {
    let mut page = format!(
        "{WRITTEN}# Settings\n\n\
         Every setting has one name: the flag `--label-depth` of the command is the parameter `label_depth` of the estimators in \
         Python, the key `\"label_depth\"` in JSON and the field `Settings::label_depth` in Rust. Where Python has another name, \
         as scikit-learn would call it, it is said. Values in JSON are written as in Python, with `null` for `None`.\n"
    );
    let mut group = "";
    for field in Settings::FIELDS {
        if field.group != group {
            group = field.group;
            write!(page, "\n## {group}\n\n").expect("writing to a string cannot fail");
        }
        page += &setting(field);
    }
    page
}

fn setting(field: &Field<Settings>) -> String {
    let flag = match field.attribute("global") {
        Some(_) => format!("`--{}` of every command", field.flag()),
        None => format!("`--{}`", field.flag()),
    };
    let python = match field.attribute("alias") {
        Some(alias) => format!("; in Python `{alias}`"),
        None => String::new(),
    };
    let default = (field.get)(&Settings::default());
    let default = if default.is_null() { "none".to_owned() } else { format!("`{default}`") };
    let former: Vec<String> = former_names(field).map(|name| format!("`{name}`")).collect();
    let former = match former.is_empty() {
        true => String::new(),
        false => format!(" Was called {}.", former.join(", ")),
    };
    let least = field.attribute("least").map_or(String::new(), |least| format!(" from {least}"));
    format!(
        "### {}\n\n{flag}{python}: {}{least}; default {default}.\n\n{}{former}\n\n",
        field.name.replace('_', "-"),
        values(&(field.kind)()),
        plain(&field.help())
    )
}

fn values(kind: &Kind) -> String {
    match kind {
        Kind::Flag => "yes or no".to_owned(),
        Kind::Count => "a whole number".to_owned(),
        Kind::Number => "a number".to_owned(),
        Kind::Choice(names) => {
            let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
            format!("one of {}", names.join(", "))
        }
        Kind::Text(form) => plain(form),
        Kind::Pair => "two numbers".to_owned(),
        Kind::List(kind) => format!("a list, each {}", values(kind)),
        Kind::Optional(kind) => format!("optional, {}", values(kind)),
    }
}

/// Help in Markdown: what looks like an element of HTML is text.
fn plain(text: &str) -> String {
    text.replace('<', "&lt;").replace('|', "\\|")
}

/// All commands with their flags.
fn commands() -> String {
    let mut page = format!(
        "{WRITTEN}# Commands\n\n\
         `hodgelet help`, `hodgelet COMMAND --help` and `hodgelet man` say the same. Flags of the model are on the page of \
         [settings](settings.md).\n"
    );
    let mut cli = Cli::command();
    cli.build();
    let globals: Vec<&Arg> = cli.get_arguments().filter(|arg| arg.is_global_set()).collect();
    page += "\n## Flags of every command\n\n";
    globals.iter().for_each(|arg| page += &flag(arg));
    let shared = shared(&cli);
    page += "\n## Flags of commands that read a dataset\n\n";
    shared.iter().for_each(|(_, line)| page += line);
    let names: BTreeSet<&str> = shared.iter().map(|(name, _)| name.as_str()).collect();
    let shown = |command: &&Command| command.get_name() != "help" && !command.is_hide_set();
    for command in cli.get_subcommands().filter(shown) {
        page += &described(command, &format!("hodgelet {}", command.get_name()), &names);
    }
    page
}

/// Flags that many commands have, with what is said of them: they are listed once.
fn shared(cli: &Command) -> Vec<(String, String)> {
    const MANY: usize = 6;
    let mut found: Vec<(String, String, usize)> = Vec::new();
    let mut open: Vec<&Command> = cli.get_subcommands().collect();
    while let Some(command) = open.pop() {
        open.extend(command.get_subcommands());
        for arg in command.get_arguments().filter(|arg| !arg.is_global_set() && !arg.is_positional()) {
            let (name, line) = (arg.get_id().to_string(), flag(arg));
            match found.iter_mut().find(|(known, text, _)| *known == name && *text == line) {
                Some(entry) => entry.2 += 1,
                None => found.push((name, line, 1)),
            }
        }
    }
    let setting = |name: &str| Settings::FIELDS.iter().any(|field| field.name == name);
    let wanted = |(name, _, count): &&(String, String, usize)| {
        *count >= MANY
            && !setting(name)
            && !["help", "version", "force", "out", "format"].contains(&name.as_str())
    };
    let mut all: Vec<(String, String)> =
        found.iter().filter(wanted).map(|(name, line, _)| (name.clone(), line.clone())).collect();
    all.sort();
    all
}

fn described(command: &Command, name: &str, shared: &BTreeSet<&str>) -> String {
    let about = command.get_long_about().or(command.get_about()).map(ToString::to_string).unwrap_or_default();
    let mut text = format!("\n## {name}\n\n{}.\n", plain(about.trim_end_matches('.')));
    if command.has_subcommands() {
        let inner = command.get_subcommands().filter(|inner| inner.get_name() != "help");
        inner.for_each(|inner| text += &described(inner, &format!("{name} {}", inner.get_name()), shared));
        return text;
    }
    let setting = |arg: &&Arg| {
        arg.get_long().is_some_and(|long| {
            Settings::FIELDS.iter().any(|field| field.flag() == long && field.attribute("global").is_none())
        })
    };
    let standard = |arg: &Arg| ["help", "version"].contains(&arg.get_id().as_str());
    let shown = |arg: &&Arg| !arg.is_global_set() && !arg.is_hide_set() && !standard(arg);
    let (settings, own): (Vec<&Arg>, Vec<&Arg>) = command.get_arguments().filter(shown).partition(setting);
    let places: Vec<String> = own.iter().filter(|arg| arg.is_positional()).map(|arg| place(arg)).collect();
    let flags = if own.len() > places.len() || !settings.is_empty() { " [flags]" } else { "" };
    let usage = [vec![name.to_owned()], places].concat().join(" ");
    write!(text, "\n```text\n{usage}{flags}\n```\n\n").expect("writing to a string cannot fail");
    let (common, own): (Vec<&Arg>, Vec<&Arg>) =
        own.into_iter().partition(|arg| shared.contains(arg.get_id().as_str()));
    own.iter().for_each(|arg| text += &flag(arg));
    if !common.is_empty() {
        let flags: Vec<String> =
            common.iter().filter_map(|arg| arg.get_long()).map(|long| format!("`--{long}`")).collect();
        let link = "[of the dataset](#flags-of-commands-that-read-a-dataset)";
        write!(text, "\nFlags {link}: {}.\n", flags.join(", ")).expect("writing to a string cannot fail");
    }
    if !settings.is_empty() {
        let names: Vec<String> = settings
            .iter()
            .filter_map(|arg| arg.get_long())
            .map(|long| format!("[`--{long}`](settings.md#{long})"))
            .collect();
        write!(text, "\nSettings: {}.\n", names.join(", ")).expect("writing to a string cannot fail");
    }
    if let Some(after) = command.get_after_long_help().or(command.get_after_help()) {
        write!(text, "\n```text\n{}\n```\n", after.to_string().trim())
            .expect("writing to a string cannot fail");
    }
    text
}

/// What stands at a place of the command line.
fn place(arg: &Arg) -> String {
    let name = value_name(arg).unwrap_or_else(|| arg.get_id().to_string().to_uppercase());
    if arg.is_required_set() { name } else { format!("[{name}]") }
}

fn value_name(arg: &Arg) -> Option<String> {
    let takes = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
    let names = arg.get_value_names().filter(|_| takes)?;
    Some(names.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
}

fn flag(arg: &Arg) -> String {
    let name = match (arg.get_long(), arg.get_short()) {
        (Some(long), Some(short)) => format!("-{short}, --{long}"),
        (Some(long), None) => format!("--{long}"),
        (None, Some(short)) => format!("-{short}"),
        (None, None) => String::new(),
    };
    let value = value_name(arg).map_or(String::new(), |value| format!(" {value}"));
    let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let choices: Vec<String> = arg
        .get_possible_values()
        .iter()
        .filter(|value| !value.is_hide_set())
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    let takes = matches!(arg.get_action(), ArgAction::Set | ArgAction::Append);
    let choices = match choices.is_empty() || !takes || help.contains("[default") && choices.len() > 12 {
        true => String::new(),
        false => format!(": {}", choices.join(", ")),
    };
    let defaults: Vec<String> =
        arg.get_default_values().iter().map(|value| format!("`{}`", value.to_string_lossy())).collect();
    let default = match defaults.is_empty() || !takes {
        true => String::new(),
        false => format!(" (default {})", defaults.join(", ")),
    };
    format!("- `{}`: {}{choices}{default}\n", format!("{name}{value}").trim(), plain(&help))
}
