// The sounds of moves, made on the spot: a click for a move, a double one for a capture, and a tone for a check.
import { isSameAfter, playMove } from './rules';

export type MoveSound = 'move' | 'capture' | 'check';

/** What is heard when a move leads from one position to the next; null if the board jumped. */
export function soundBetween(from: string, to: string, uci: string): MoveSound | null {
  const step = playMove(from, uci);
  if (!step || !isSameAfter(step.fen, to)) return null;
  if (/[+#]/.test(step.san)) return 'check';
  return step.san.includes('x') ? 'capture' : 'move';
}

let context: AudioContext | null = null;

/** Makes the sound of a move. */
export function playSound(sound: MoveSound): void {
  context ??= new AudioContext();
  // Browsers let a page sound only after a click or a key, which a move follows.
  if (context.state === 'suspended') void context.resume().catch(() => undefined);
  const now = context.currentTime;
  knock(context, now, sound === 'capture' ? 700 : 1100, 0.5);
  if (sound === 'capture') knock(context, now + 0.05, 500, 0.7);
  if (sound === 'check') tone(context, now + 0.03);
}

/** A piece of wood on wood: a few milliseconds of noise around a pitch. */
function knock(audio: AudioContext, at: number, pitch: number, loudness: number): void {
  const length = Math.floor(audio.sampleRate * 0.06);
  const buffer = audio.createBuffer(1, length, audio.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let nth = 0; nth < length; nth++) samples[nth] = (Math.random() * 2 - 1) * Math.exp((-9 * nth) / length);
  const source = audio.createBufferSource();
  source.buffer = buffer;
  const band = audio.createBiquadFilter();
  band.type = 'bandpass';
  band.frequency.value = pitch;
  band.Q.value = 1.5;
  const gain = audio.createGain();
  gain.gain.value = loudness;
  source.connect(band).connect(gain).connect(audio.destination);
  source.start(at);
}

function tone(audio: AudioContext, at: number): void {
  const oscillator = audio.createOscillator();
  oscillator.type = 'triangle';
  oscillator.frequency.value = 880;
  const gain = audio.createGain();
  gain.gain.setValueAtTime(0.12, at);
  gain.gain.exponentialRampToValueAtTime(0.001, at + 0.18);
  oscillator.connect(gain).connect(audio.destination);
  oscillator.start(at);
  oscillator.stop(at + 0.2);
}
