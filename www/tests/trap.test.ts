import { expect, test } from 'vitest';
import { FirstTrap } from '../src/engine/trap';

/** A module with a function that traps. */
const TRAPS = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 5, 1, 3, 0, 0, 11]);

function thrownBy(act: () => void): unknown {
  try {
    act();
  } catch (thrown) {
    return thrown;
  }
  return null;
}

test('what comes after a trap has the cause of the trap', async () => {
  const { instance } = await WebAssembly.instantiate(TRAPS);
  const thrown = thrownBy(instance.exports.f as () => void);
  const trap = new FirstTrap();
  expect(trap.causeOf(new Error('an ordinary failure'))).toBeNull();
  expect(trap.causeOf(thrown)).toBe((thrown as Error).message);
  expect(trap.causeOf(new Error('recursive use of an object'))).toBe((thrown as Error).message);
});

test('a stack without room is a trap, and an array that is too long is none', () => {
  const deep = (): number => deep() + 1;
  const trap = new FirstTrap();
  expect(trap.causeOf(thrownBy(() => new Uint8Array(-1)))).toBeNull();
  expect(trap.causeOf(thrownBy(deep))).toMatch(/call stack/);
});
