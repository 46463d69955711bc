//! How long a learner waits for progress: 10,000 cards and 100,000 answers read, and a grade on the disk.
//!
//! `cargo bench --bench recall`

#![expect(clippy::unwrap_used, reason = "this is a bench")]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use stampede::drill::{At, Calendar, Did, Entry, Grade, Store};

const CARDS: u64 = 10_000;

const ANSWERS: u64 = 100_000;

fn grade(number: u64) -> Entry {
    let card = format!("card-{}", number % CARDS);
    // Ten rounds, a week apart.
    let at = At(number * 10 + number / CARDS * 7 * 24 * 60 * 60 * 1000);
    Entry { at, did: Did::Graded { card, grade: Grade::ALL[(number % 7 % 4) as usize] } }
}

fn open(folder: &std::path::Path) -> Store {
    Store::open(folder, Calendar::default()).0
}

fn recall(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(folder.path());
    store.append_all((0..ANSWERS).map(grade).collect()).unwrap();
    store.close().unwrap();
    let mut group = criterion.benchmark_group("progress");
    group.sample_size(20);
    group.bench_function("read 10,000 cards and 100,000 answers", |bencher| {
        bencher.iter(|| black_box(open(folder.path()).progress().entries));
    });
    std::fs::remove_file(folder.path().join("progress.json")).unwrap();
    group.bench_function("add 100,000 answers up anew, without a snapshot", |bencher| {
        bencher.iter(|| black_box(open(folder.path()).progress().entries));
    });
    let mut store = open(folder.path());
    let mut number = ANSWERS;
    group.bench_function("a grade on the disk", |bencher| {
        bencher.iter(|| {
            number += 1;
            store.append(grade(number)).unwrap();
        });
    });
    group.finish();
}

criterion_group!(benches, recall);
criterion_main!(benches);
