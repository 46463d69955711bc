//! The facts beside the story: the lock, the database, and the two rules.

use std::collections::BTreeSet;

use ratatui::layout::Rect;

use super::paint::{Edge, Paint, Piece};
use crate::lab::{LifeEnd, World};
use crate::tui::scene::short_token;
use crate::tui::session::Session;
use crate::tui::theme::Tone;

/// Lock and database in one pane, for small screens.
pub(super) fn both(paint: &mut Paint<'_>, area: Rect, edge: Edge, session: &Session) {
    let world = &session.world;
    let inner = paint.pane(area, edge, &lock_title(world), &[], false);
    let lock_rows = if world.has_lock() { 3 } else { 0 };
    let mut y = lock(paint, inner, session);
    if lock_rows > 0 && inner.height > lock_rows + 6 {
        let rule = paint.glyphs.pick("─", "-").repeat(usize::from(inner.width.saturating_sub(2)));
        paint.text(inner.x + 1, y, &rule, Tone::Border, inner.width.saturating_sub(2));
        y += 1;
    }
    let rest = Rect::new(inner.x, y, inner.width, inner.bottom().saturating_sub(y));
    let y = database(paint, rest, session);
    rules(paint, Rect::new(inner.x, y, inner.width, inner.bottom().saturating_sub(y)), world);
}

pub(super) fn lock_pane(paint: &mut Paint<'_>, area: Rect, edge: Edge, session: &Session) {
    let world = &session.world;
    let inner = paint.pane(area, edge, &lock_title(world), &[], false);
    let y = lock(paint, inner, session);
    history(paint, Rect::new(inner.x, y + 1, inner.width, inner.bottom().saturating_sub(y + 1)), world);
}

pub(super) fn database_pane(paint: &mut Paint<'_>, area: Rect, edge: Edge, session: &Session) {
    let inner = paint.pane(area, edge, "database", &[], false);
    let y = database(paint, inner, session);
    rules(paint, Rect::new(inner.x, y, inner.width, inner.bottom().saturating_sub(y)), &session.world);
}

fn lock_title(world: &World) -> String {
    world.lock_key().map_or_else(|| "no lock here".to_owned(), std::string::ToString::to_string)
}

/// Writes rows of pieces and returns the row after the last.
fn write(paint: &mut Paint<'_>, area: Rect, rows: &[Vec<Piece>]) -> u16 {
    let mut y = area.y;
    for row in rows {
        if y >= area.bottom() {
            break;
        }
        paint.pieces(area.x + 1, y, row, area.width.saturating_sub(1));
        y += 1;
    }
    y
}

fn label(text: &str) -> Piece {
    (format!("{text:<8}"), Tone::Dim)
}

fn lock(paint: &mut Paint<'_>, area: Rect, session: &Session) -> u16 {
    let world = &session.world;
    if !world.has_lock() {
        return area.y;
    }
    let owner = match world.lock.current() {
        None => vec![label("owner"), ("nobody".to_owned(), Tone::Dim)],
        Some(life) => {
            let tone = life.owner.map_or(Tone::Accent, |id| Tone::Owner(id.index()));
            let name = life.owner.map_or_else(|| "?".to_owned(), |id| id.to_string());
            vec![label("owner"), (format!("{name}  {}", short_token(&life.token)), tone)]
        }
    };
    let mut rows = vec![owner];
    if let (Some(before), Some(row)) = (world.lock.previous(), rows.first_mut())
        && let Some(id) = before.owner
        && area.width >= 28
    {
        let token = short_token(&before.token);
        row.push((format!("  ({id} was {})", token.trim_end_matches('…')), Tone::Dim));
    }
    let y = write(paint, area, &rows);
    if y < area.bottom() {
        ttl(paint, area, y, session);
    }
    let alarm = Rect::new(area.x, y + 1, area.width, area.bottom().saturating_sub(y + 1));
    write(paint, alarm, &[vec![label("alarm"), alarm_words(session)]])
}

fn ttl(paint: &mut Paint<'_>, area: Rect, y: u16, session: &Session) {
    let mut row = vec![label("PTTL")];
    let Some(life) = session.world.lock.current() else {
        row.push(("-2  no such key".to_owned(), Tone::Dim));
        paint.pieces(area.x + 1, y, &row, area.width.saturating_sub(1));
        return;
    };
    let Some(deadline) = life.deadline() else {
        let endless = paint.glyphs.pick("∞∞∞∞∞∞∞∞", "88888888");
        row.push((format!("-1  {endless}"), Tone::Bad));
        paint.pieces(area.x + 1, y, &row, area.width.saturating_sub(1));
        return;
    };
    let left = deadline.since(session.now).as_millis_up();
    let full = life.full().map_or(left, crate::lab::Span::as_millis_up).max(1);
    let tone = life.owner.map_or(Tone::Accent, |id| Tone::Owner(id.index()));
    row.push((format!("{left:>5}/{full} ms "), Tone::Plain));
    let used = paint.pieces(area.x + 1, y, &row, area.width.saturating_sub(1));
    let room = area.width.saturating_sub(used + 2).min(20);
    paint.bar(area.x + 1 + used, y, room, left, full, tone);
}

fn alarm_words(session: &Session) -> Piece {
    let world = &session.world;
    if world.lock.is_immortal() {
        return ("! NEVER EXPIRES".to_owned(), Tone::Bad);
    }
    let robbed = world.lock.lives.iter().rev().find_map(|life| match (life.owner, life.end) {
        (Some(owner), Some((_, LifeEnd::Stolen(thief)))) => Some((owner, thief)),
        _ => None,
    });
    let at_work =
        |id: crate::lab::WorkerId| world.workers.get(id.index()).is_some_and(crate::lab::Seen::is_active);
    match robbed {
        Some((owner, thief)) if at_work(owner) => (format!("! {thief} took {owner}'s lock"), Tone::Bad),
        _ => ("none".to_owned(), Tone::Dim),
    }
}

fn history(paint: &mut Paint<'_>, area: Rect, world: &World) {
    let rows: Vec<Vec<Piece>> = world
        .lock
        .lives
        .iter()
        .rev()
        .take(usize::from(area.height))
        .map(|life| {
            let who = life.owner.map_or_else(|| "?".to_owned(), |id| id.to_string());
            let tone = life.owner.map_or(Tone::Accent, |id| Tone::Owner(id.index()));
            let (until, how, how_tone) = match life.end {
                None => ("now".to_owned(), String::new(), Tone::Dim),
                Some((at, end)) => {
                    let (how, tone) = match end {
                        LifeEnd::Expired => ("ran out".to_owned(), Tone::Dim),
                        LifeEnd::Released => ("released".to_owned(), Tone::Good),
                        LifeEnd::Stolen(thief) => (format!("taken by {thief}"), Tone::Bad),
                        LifeEnd::Overwritten => ("overwritten".to_owned(), Tone::Bad),
                        LifeEnd::Lost => ("lost in failover".to_owned(), Tone::Bad),
                        LifeEnd::Outside => ("from outside".to_owned(), Tone::Accent),
                    };
                    (seconds(at), how, tone)
                }
            };
            vec![
                (format!("{who:<4}"), tone),
                (format!("{}-{until} ", seconds(life.from)), Tone::Plain),
                (how, how_tone),
            ]
        })
        .collect();
    write(paint, area, &rows);
}

fn seconds(at: crate::lab::LabTime) -> String {
    format!("{:.2}", at.as_micros() as f64 / 1e6)
}

/// The threads and the health checks of an application that has a bounded number of them.
fn application(world: &World) -> Vec<Vec<Piece>> {
    let threads = &world.threads;
    let mut rows = Vec::new();
    if let Some(most) = world.thread_count() {
        let full = threads.held == most;
        let mut row = vec![
            label("threads"),
            (format!("{}/{most}", threads.held), if full { Tone::Bad } else { Tone::Plain }),
        ];
        if threads.queued > 0 {
            row.push((format!(" {} wait", threads.queued), Tone::Bad));
        }
        rows.push(row);
    }
    let probes = &world.probes;
    if probes.sent > 0 {
        let (words, tone) = match probes.failed {
            0 => ("all answered".to_owned(), Tone::Good),
            failed => (format!("{failed} of {} FAILED", probes.sent), Tone::Bad),
        };
        rows.push(vec![label("/health"), (words, tone)]);
    }
    rows
}

/// What the guards of all processes have counted, in lessons that run them; the most telling first.
fn guards(world: &World) -> Vec<Vec<Piece>> {
    const COUNTED: [(&str, &str); 6] = [
        ("tries", "lock_attempts"),
        ("joined", "coalesced"),
        ("stale", "stale_served"),
        ("refused", "stores_refused"),
        ("alone", "fallbacks"),
        ("lost", "leases_lost"),
    ];
    if world.measured.is_empty() {
        return Vec::new();
    }
    let row = |(index, pair): (usize, &[(&str, &str)])| {
        let mut row = vec![label(if index == 0 { "guard" } else { "" })];
        for (word, name) in pair {
            row.push((format!("{word} "), Tone::Dim));
            row.push((format!("{:<4}", world.counted(&format!("stampede_{name}_total"))), Tone::Plain));
        }
        row
    };
    COUNTED.chunks(2).enumerate().map(row).collect()
}

fn database(paint: &mut Paint<'_>, area: Rect, session: &Session) -> u16 {
    let world = &session.world;
    let db = &world.database;
    let many = if db.in_flight > 1 { Tone::Bad } else { Tone::Strong };
    let wide = area.width >= 30;
    let mut queries = vec![
        label("queries"),
        (format!("{:<4}", db.hits), Tone::Strong),
        ("now ".to_owned(), Tone::Dim),
        (format!("{:<3}", db.in_flight), many),
    ];
    let peak = (format!("{}/{}", db.peak, world.pool()), Tone::Plain);
    let mut rows = if wide {
        queries.extend([("peak ".to_owned(), Tone::Dim), peak]);
        vec![queries]
    } else {
        vec![queries, vec![label("peak"), peak, (" pool".to_owned(), Tone::Dim)]]
    };
    if db.queue_peak > 0 {
        rows.push(vec![
            label("queued"),
            (format!("{:<4}", db.queued), Tone::Plain),
            ("peak ".to_owned(), Tone::Dim),
            (db.queue_peak.to_string(), Tone::Plain),
        ]);
    }
    rows.extend(application(world));
    rows.extend(guards(world));
    let out = &world.outcomes;
    let mut readers =
        vec![label("readers"), (format!("{}/{}", out.answered(), world.readers()), Tone::Plain)];
    let mut outcomes = Vec::new();
    for (count, name) in [
        (out.stale, "stale"),
        (out.degraded, "degraded"),
        (out.failed, "failed"),
        (out.unanswered, "no answer"),
    ] {
        if count > 0 {
            outcomes.push((format!(" {name} {count}"), Tone::Accent));
        }
    }
    let value = match world.value() {
        None => vec![label("cache"), ("no value".to_owned(), Tone::Dim)],
        Some(entry) => {
            let left = entry.deadline.map_or("never ends".to_owned(), |at| {
                format!("{}s", at.since(session.now).as_millis_up().div_ceil(1000))
            });
            // Told in a word too: not every theme has colours.
            let (tone, end) = if world.is_outdated() {
                (Tone::Bad, (" OLD".to_owned(), Tone::Bad))
            } else {
                (Tone::Good, (format!(" {left}"), Tone::Dim))
            };
            vec![label("cache"), (short_token(&entry.value), tone), end]
        }
    };
    if wide {
        readers.append(&mut outcomes);
    }
    rows.push(readers);
    if !outcomes.is_empty() {
        outcomes.insert(0, (" ".repeat(7), Tone::Dim));
        rows.push(outcomes);
    }
    rows.push(value);
    // The two rules below matter more than what does not fit above them.
    let room = usize::from(area.height).saturating_sub(1 + usize::from(world.has_lock()));
    if let (Some(p50), Some(p99)) = (out.percentile(50), out.percentile(99)) {
        let [p50, p99] = [("p50", p50), ("p99", p99)]
            .map(|(name, wait)| vec![label(name), (wait.to_string(), Tone::Plain)]);
        rows.extend(if wide {
            vec![[p50, vec![("  ".to_owned(), Tone::Plain)], p99].concat()]
        } else {
            vec![p50, p99]
        });
    }
    rows.truncate(room);
    write(paint, area, &rows)
}

fn rules(paint: &mut Paint<'_>, area: Rect, world: &World) {
    let most = if area.width >= 30 { 2 } else { 1 };
    let mut rows = vec![rule("one fill", &world.rules.one_fill, most)];
    if world.has_lock() {
        rows.push(rule("own lock", &world.rules.own_lock_only, most));
    }
    write(paint, area, &rows);
}

/// A rule, and the first steps at which it was broken.
fn rule(name: &str, broken: &BTreeSet<u32>, most: usize) -> Vec<Piece> {
    let verdict = if broken.is_empty() {
        ("kept".to_owned(), Tone::Good)
    } else {
        let steps: Vec<String> = broken.iter().take(most).map(u32::to_string).collect();
        let more = if broken.len() > most { " …" } else { "" };
        (format!("BROKEN {}{more}", steps.join(", ")), Tone::Bad)
    };
    vec![(format!("{name:<10}"), Tone::Dim), verdict]
}
