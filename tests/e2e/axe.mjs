// The accessibility rules of axe-core, as every test asks them.

import assert from 'node:assert/strict';
import { AxeBuilder } from '@axe-core/playwright';

/** The windows in which whole walks are looked at. */
export const SIZES = {
  wide: { viewport: { width: 1366, height: 657 } },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
};
/** Each colour scheme in each of them. */
export const EACH_SCHEME = Object.keys(SIZES).flatMap((size) => ['light', 'dark'].map((colorScheme) => [colorScheme, size]));

/** Fails if something on the page violates a rule. */
export async function clean(page, state) {
  assert.deepEqual(await violations(page), [], state);
}

/**
 * What violates a rule on the page, or in the part of it that a selector names, in sentences.
 *
 * The page has no frames, so axe runs in it alone. For pages with frames it would open a further one each time, to put their results together,
 * and that takes as long as all rules.
 */
export async function violations(page, part) {
  const axe = new AxeBuilder({ page }).setLegacyMode().options({ resultTypes: ['violations'] });
  const result = await (part ? axe.include(part) : axe).analyze();
  return result.violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(' ')}: ${node.failureSummary}`));
}
