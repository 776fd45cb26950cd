// The local engine of the page: the states around Stockfish. The page loads this module when the user asks for it.
import { Analysis } from '../state/analysis.svelte';
import { Evaluations } from '../state/evaluations.svelte';
import { buildOfPage } from './sizes';
import { failureSentence, startStockfish } from './stockfish';

const MOST_THREADS = 16;
const MOST_LANES = 4;

const cores = navigator.hardwareConcurrency || 1;

export function makeAnalysis(): Analysis {
  return new Analysis({ start: startStockfish, sentence: failureSentence, threads: buildOfPage() === 'threads' ? Math.min(cores, MOST_THREADS) : 1 });
}

export function makeEvaluations(): Evaluations {
  return new Evaluations({ start: startStockfish, sentence: failureSentence, lanes: Math.max(1, Math.min(MOST_LANES, Math.floor(cores / 2))), now: () => performance.now() });
}
