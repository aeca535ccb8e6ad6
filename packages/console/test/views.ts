// Every view of the page, with its address and its heading.
import type { Page } from 'playwright-core'

export type View = { readonly name: string; readonly way: string; readonly heading: string }

/** The views. Some show one tool, one pending call or one audit record. */
export const views = (tool: string, call: string, record = 1): readonly View[] => [
  { name: 'overview', way: '', heading: 'Overview' },
  { name: 'exposed', way: `exposed/${tool}`, heading: 'Exposed' },
  { name: 'definition', way: `exposed/${tool}?tab=definition`, heading: 'Exposed' },
  { name: 'try', way: `exposed/${tool}?tab=try`, heading: 'Exposed' },
  { name: 'live', way: 'live', heading: 'Live' },
  { name: 'approvals', way: `approvals/${call}`, heading: 'Approvals' },
  { name: 'decided', way: 'approvals?show=decided', heading: 'Approvals' },
  { name: 'always', way: 'approvals?show=always', heading: 'Approvals' },
  { name: 'audit', way: 'audit', heading: 'Audit' },
  { name: 'record', way: `audit/${record}`, heading: 'Audit' },
  { name: 'policy', way: 'policy', heading: 'Policy' },
  { name: 'explain', way: 'policy?show=explain', heading: 'Policy' },
  { name: 'cases', way: 'policy?show=cases', heading: 'Policy' },
  { name: 'edit', way: 'policy?show=edit', heading: 'Policy' },
  { name: 'setup', way: 'setup', heading: 'Setup' },
  { name: 'keys', way: 'setup?show=keys', heading: 'Setup' },
]

/** Follows an address within the page, and waits until the previous view is gone. */
export const turnTo = (page: Page, way: string): Promise<void> =>
  page.evaluate(async (hash) => {
    const before = location.href
    const turned = new Promise((resolve) => addEventListener('hashchange', resolve, { once: true }))
    location.hash = hash
    if (location.href !== before) await turned
    await new Promise(requestAnimationFrame)
  }, `#/${way}`)

/** Opens a view, and waits until it is completely loaded. */
export async function goToView(page: Page, { way, heading }: View): Promise<void> {
  await turnTo(page, way)
  await page.getByRole('heading', { level: 1, name: heading }).waitFor()
  await page.waitForFunction(() => !document.querySelector('.loading, [aria-busy="true"]'))
}
