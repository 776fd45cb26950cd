//! Shares out work among threads by numbers, and takes the results in the order of the numbers.

use std::collections::BTreeMap;
use std::sync::{Condvar, Mutex};

use crate::Error;

/// Runs a function when a panic drops it, so that threads that wait for this one stop waiting.
struct PanicGuard<F: Fn()>(F);

impl<F: Fn()> Drop for PanicGuard<F> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            (self.0)();
        }
    }
}

/// Runs `compute` for each number on several threads, and hands the results to `take` in order. At most `backlog` results are
/// made ahead of the next one to be taken.
pub(crate) fn run_in_order<T: Send>(
    numbers: &[u32],
    threads: usize,
    backlog: usize,
    compute: impl Fn(u32) -> Result<T, Error> + Sync,
    take: impl FnMut(u32, T) -> Result<(), Error> + Send,
) -> Result<(), Error> {
    struct State<T, F> {
        started: usize,
        taken: usize,
        finished: BTreeMap<usize, T>,
        failed: Option<Error>,
        take: F,
    }
    const SOUND: &str = "no thread panics with it";
    let state = State { started: 0, taken: 0, finished: BTreeMap::new(), failed: None, take };
    let (state, room) = (Mutex::new(state), Condvar::new());
    let work = || {
        let mut locked = state.lock().expect(SOUND);
        loop {
            while locked.failed.is_none()
                && locked.started < numbers.len()
                && locked.started >= locked.taken + backlog.max(1)
            {
                locked = room.wait(locked).expect(SOUND);
            }
            if locked.failed.is_some() || locked.started == numbers.len() {
                return;
            }
            let at = locked.started;
            locked.started += 1;
            drop(locked);
            let guard = PanicGuard(|| {
                state.lock().expect(SOUND).failed.get_or_insert(Error::Stopped);
                room.notify_all();
            });
            let result = compute(numbers[at]);
            drop(guard);
            locked = state.lock().expect(SOUND);
            let State { taken, finished: ready, failed, take, .. } = &mut *locked;
            match result {
                Ok(made) => {
                    ready.insert(at, made);
                }
                Err(error) => *failed = Some(failed.take().unwrap_or(error)),
            }
            while failed.is_none()
                && let Some(next) = ready.remove(taken)
            {
                *failed = take(numbers[*taken], next).err();
                *taken += 1;
            }
            room.notify_all();
        }
    };
    let threads = threads.min(numbers.len());
    if threads <= 1 {
        work();
    } else {
        rayon::scope(|scope| (0..threads).for_each(|_| scope.spawn(|_| work())));
    }
    state.into_inner().expect(SOUND).failed.map_or(Ok(()), Err)
}
