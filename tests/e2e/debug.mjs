import { answer, ask, closeBrowser, give, onSite } from './site.mjs';
const MATES=`[White "Anna"]
[Black "Boris"]
[Date "2024.05.01"]
[Result "*"]
[SetUp "1"]
[FEN "6k1/5ppp/8/8/8/8/5PPP/3R1K2 w - - 0 1"]

1. Kg1 h6 2. Kf1 h5 *
`;
try { await onSite({tolerate:/x/}, async ({page}) => {
  page.setDefaultTimeout(8000);
  page.on('console', m=>console.log('console', m.type(), m.text().slice(0,300)));
  page.on('worker', w=>console.log('worker', w.url()));
  page.on('requestfailed', r=>console.log('failed', r.url(), r.failure()));
  await give(page,{name:'m.pgn',text:MATES}); await answer(page);
  await ask(page, 'not queens_off or queens_off'); await page.locator('#row-0').click();
  await page.getByRole('button',{name:'Start',exact:true}).click();
  await page.keyboard.press('ArrowRight');await page.keyboard.press('ArrowRight');
  await page.click('[data-test=engine]');
  await page.waitForTimeout(5000);
  console.log(await page.locator('[data-test=analysis]').evaluateAll(a=>a.map(x=>x.dataset.state+' '+x.textContent)));
  await page.screenshot({path:'/work/tmp/p17/shots-analysis/debug.png'});
}); } catch(e) { console.log(String(e).slice(0,800)); }
await closeBrowser();
