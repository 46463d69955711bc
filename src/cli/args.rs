//! The arguments, and the help that explains them.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::lab::Intervention;

/// Learn, teach and prove how to guard an expensive cache recompute with a Redis mutex.
///
/// Without a command it opens the app where you left it, at first on the lesson map. Lessons run live against a Redis: a private redis-server or
/// valkey-server from PATH that ends with the program, the embedded server where there is none, or the one that --redis
/// names.
#[derive(Debug, Parser)]
#[command(name = "stampede", version, propagate_version = true, after_help = AFTER_HELP)]
pub(super) struct Cli {
    #[command(flatten)]
    pub(super) global: Global,
    #[command(subcommand)]
    pub(super) command: Option<Command>,
}

const AFTER_HELP: &str = "\
Examples:
  stampede                                  where I left, at first the lesson map
  stampede run all                          every take of every lesson, without a screen
  stampede run 4 --take bare-del            one take of lesson 4
  stampede run herd --set readers=50        the same with a knob turned
  stampede compare losers                   all ways of waiting, in one table
  stampede explore 4 --take get-then-del    the shortest schedule that breaks it
  stampede handout 4 --key > key.md         lesson 4 on paper, with the answers
  stampede play 90 --lessons mine --watch   a lesson while I write it
  stampede drill --minutes 10               ten minutes with the cards that are due
  stampede interview --level senior         the question, with follow-ups and a rubric
  stampede check my-lessons                 what is wrong with my own lessons

Exit codes: 0 all well, 1 a claim failed or a lesson has a mistake, 2 wrong usage, 3 the environment (no terminal, no
server).";

#[derive(Debug, Args)]
#[command(next_help_heading = "Options of every command")]
pub(super) struct Global {
    /// Use this server instead of a private one; it keeps everything it has [env: `REDIS_URL`, for this machine only]
    #[arg(long, global = true, value_name = "URL")]
    pub(super) redis: Option<String>,
    /// Where the server comes from when no URL says so
    #[arg(long, global = true, value_enum, value_name = "WHICH")]
    pub(super) server: Option<WhichServer>,
    /// Put this before every key
    #[arg(long, global = true, value_name = "PREFIX", default_value = "", hide_default_value = true)]
    pub(super) key_prefix: String,
    /// A folder with lessons of your own, beside those that ship
    #[arg(long, global = true, value_name = "DIR")]
    pub(super) lessons: Option<PathBuf>,
    /// Where repairs and progress are kept [default: stampede in `XDG_STATE_HOME` or ~/.local/state]
    #[arg(long, global = true, value_name = "DIR")]
    pub(super) state: Option<PathBuf>,
    /// Colours of the app; T in the app goes through them [default: dark, or mono under `NO_COLOR`]
    #[arg(long, global = true, value_enum, value_name = "WHICH")]
    pub(super) theme: Option<WhichTheme>,
    /// Draw with ASCII signs only
    #[arg(long, global = true)]
    pub(super) ascii: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum WhichTheme {
    Dark,
    Light,
    Mono,
    HighContrast,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum WhichServer {
    /// A private redis-server or valkey-server from PATH, or else the embedded one
    Auto,
    /// A private redis-server or valkey-server from PATH
    Spawn,
    /// The server inside this program, which answers as Redis 7.0 does
    Embedded,
    /// The same as Valkey 9, which has SET … IFEQ and DELIFEQ
    EmbeddedValkey,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Open the app on a lesson
    Play(Play),
    /// Run takes without a screen and check their claims
    Run(Run),
    /// Run takes of one lesson and put their numbers side by side
    Compare(Compare),
    /// Try takes against everything that can go wrong: crashes, lost replies, pauses, other orders, and two of them together
    Explore(Explore),
    /// Print a lesson, or the course, as Markdown to hand out
    Handout(Handout),
    /// List lessons with their takes and knobs
    List,
    /// Write a small complete lesson of your own to begin from
    New(New),
    /// Look for mistakes in lessons of your own, and run them to see whether they tell the truth
    Check(Check),
    /// Recall: the cards that are due, and some new ones
    Drill(Drill),
    /// A mock interview: the main question, follow-ups, an honest rubric, and what to look at again
    Interview(Interview),
    /// What has been learned, and where it is kept
    #[command(subcommand)]
    Progress(ProgressCommand),
    /// Show what this machine offers: server, terminal, locale
    Doctor,
    /// Print shell completions
    Completions { shell: clap_complete::Shell },
    /// Print the manual page
    Man,
}

#[derive(Debug, Args)]
pub(super) struct Play {
    /// A lesson's number or name; without one, the lesson map
    pub(super) lesson: Option<String>,
    /// Begin with this take
    #[arg(long, value_name = "NAME", requires = "lesson")]
    pub(super) take: Option<String>,
    /// Turn a knob; may be repeated
    #[arg(long = "set", value_name = "KNOB=VALUE", value_parser = knob, requires = "lesson")]
    pub(super) knobs: Vec<(String, String)>,
    /// The seed that arrivals, latencies, tokens and jitter are drawn from
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    pub(super) seed: u64,
    /// Let this go wrong; may be repeated: `A crash after SET`, `B pause 4s after GET 2`, `redis down 2s at 1s`
    #[arg(long = "with", value_name = "WHAT", requires = "lesson")]
    pub(super) with: Vec<Intervention>,
    /// Only the first so many of the cast take part
    #[arg(long, value_name = "N", requires = "lesson")]
    pub(super) workers: Option<usize>,
    /// Run up to this step before anything is shown
    #[arg(long, value_name = "N", requires = "lesson")]
    pub(super) step: Option<u32>,
    /// Read the lessons of --lessons again whenever one is saved, and keep the place
    #[arg(long)]
    pub(super) watch: bool,
    /// Play a saved run again, with all that was done in it by hand
    #[arg(long, value_name = "FILE", conflicts_with = "lesson")]
    pub(super) journal_in: Option<PathBuf>,
    /// Playing speed, from 1/32 to 4
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    pub(super) speed: f64,
}

#[derive(Debug, Args)]
pub(super) struct Run {
    /// A lesson's number or name, or `all`
    #[arg(required_unless_present = "journal_in")]
    pub(super) lesson: Option<String>,
    /// Run what this journal tells of again, with all that was done by hand, and compare the two
    #[arg(long, value_name = "FILE", conflicts_with_all = ["lesson", "take", "knobs", "with", "workers"])]
    pub(super) journal_in: Option<PathBuf>,
    /// Only this take
    #[arg(long, value_name = "NAME")]
    pub(super) take: Option<String>,
    /// Turn a knob; may be repeated
    #[arg(long = "set", value_name = "KNOB=VALUE", value_parser = knob)]
    pub(super) knobs: Vec<(String, String)>,
    /// The seed that arrivals, latencies, tokens and jitter are drawn from
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    pub(super) seed: u64,
    /// Let this go wrong; may be repeated: `A crash after SET`, `B pause 4s after GET 2`, `redis down 2s at 1s`
    #[arg(long = "with", value_name = "WHAT")]
    pub(super) with: Vec<Intervention>,
    /// Only the first so many of the cast take part
    #[arg(long, value_name = "N")]
    pub(super) workers: Option<usize>,
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(super) format: Format,
    /// Include every event; in text, one JSON event a line after each take
    #[arg(long)]
    pub(super) journal: bool,
}

#[derive(Debug, Args)]
#[command(after_help = EXPLORE_HELP)]
pub(super) struct Explore {
    /// A lesson's number or name, or `all`
    pub(super) lesson: String,
    /// Only this take
    #[arg(long, value_name = "NAME", conflicts_with = "program")]
    pub(super) take: Option<String>,
    /// Try this program as the repair of the lesson's exercise
    #[arg(long, value_name = "FILE")]
    pub(super) program: Option<PathBuf>,
    /// Turn a knob; may be repeated
    #[arg(long = "set", value_name = "KNOB=VALUE", value_parser = knob)]
    pub(super) knobs: Vec<(String, String)>,
    /// So many schedules of each take at most
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    pub(super) max: usize,
    /// With so many seeds nothing goes wrong but what the take says
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(super) seeds: u64,
    /// The first of these seeds, and the one with which things go wrong
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    pub(super) seed: u64,
}

const EXPLORE_HELP: &str = "\
A schedule is one way in which a run can go: a seed, and what goes wrong in it. They are tried shortest first, so that what
is found is as short as can be. A take that is right must survive; one that shows a mistake must break a law of its lesson
with as few things going wrong as the lesson says. Exit code 1 when one does not.";

#[derive(Debug, Args)]
#[command(after_help = DRILL_HELP)]
pub(super) struct Drill {
    /// Only cards of this deck: a lesson's number or name, or `interview`
    #[arg(long, value_name = "NAME")]
    pub(super) deck: Option<String>,
    /// Stop after so many minutes
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) minutes: Option<u32>,
    /// So many new cards today at most
    #[arg(long, value_name = "N")]
    pub(super) new: Option<u32>,
    /// Wish for so many of a hundred cards to be recalled when they come up, 70 to 97; kept until there is another wish
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u32).range(70..=97))]
    pub(super) retention: Option<u32>,
    /// Line by line, for a screen reader; so it is in a pipe, too
    #[arg(long)]
    pub(super) plain: bool,
}

const DRILL_HELP: &str = "\
Cards come up when they are about to be forgotten (FSRS; nine of ten are recalled then, unless --retention wishes otherwise). First come those being learned, then those
that are due, then new ones. What you were certain of in a lesson, and wrong, comes up the next day and again after a week.
Every grade is on the disk before the next card is shown.";

#[derive(Debug, Args)]
pub(super) struct Interview {
    /// What you are interviewed for: it decides what is asked, and what a good answer has [default: asked for, or senior]
    #[arg(long, value_enum)]
    pub(super) level: Option<WhichLevel>,
    /// Line by line, for a screen reader; so it is in a pipe, too
    #[arg(long)]
    pub(super) plain: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum WhichLevel {
    Junior,
    Middle,
    Senior,
    Principal,
}

#[derive(Debug, Subcommand)]
pub(super) enum ProgressCommand {
    /// Lessons, cards, what is due on the next days, and how much was recalled
    Show,
    /// Print every answer, one JSON object a line
    Export,
    /// Add the answers of an export that are not here yet
    Import { file: PathBuf },
    /// Begin anew; what there was is put aside, not thrown away
    Reset,
}

#[derive(Debug, Args)]
pub(super) struct Handout {
    /// A lesson's number or name, or `all`
    pub(super) lesson: String,
    /// With the answers, what happened, and the cards
    #[arg(long)]
    pub(super) key: bool,
    /// The seed that arrivals, latencies, tokens and jitter are drawn from
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    pub(super) seed: u64,
}

#[derive(Debug, Args)]
pub(super) struct Compare {
    /// A lesson's number or name
    pub(super) lesson: String,
    /// Only these takes; may be repeated
    #[arg(long = "take", value_name = "NAME")]
    pub(super) takes: Vec<String>,
    /// Turn a knob in all of them; may be repeated
    #[arg(long = "set", value_name = "KNOB=VALUE", value_parser = knob)]
    pub(super) knobs: Vec<(String, String)>,
    /// The seed that arrivals, latencies, tokens and jitter are drawn from
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    pub(super) seed: u64,
}

/// Any seed would do; lessons are written and tested with this one.
pub(super) const DEFAULT_SEED: u64 = 7;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people
    Text,
    /// For programs: one object a lesson, one a line
    Json,
}

#[derive(Debug, Args)]
pub(super) struct New {
    /// The folder to make; its name, like 90-mine, is the lesson's
    pub(super) dir: PathBuf,
}

#[derive(Debug, Args)]
pub(super) struct Check {
    /// A lesson's folder, or a folder of lessons
    pub(super) dir: PathBuf,
}

fn knob(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("expected KNOB=VALUE, like px=3000".to_owned()),
    }
}
