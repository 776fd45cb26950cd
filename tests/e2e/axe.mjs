// The accessibility rules of axe-core, as every test asks them.

import { AxeBuilder } from '@axe-core/playwright';

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
