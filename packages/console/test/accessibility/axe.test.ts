// What axe-core finds on each view: nothing that keeps anybody from using it.
import { createRequire } from 'node:module'
import type axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { eachNth } from '../../../toolwire/test/soak.js'
import { inBrowser, newcomer } from '../browser.js'
import { enter } from '../gateway.js'
import { goToView } from '../views.js'
import { scene } from './scene.js'

const program = createRequire(import.meta.url).resolve('axe-core/axe.min.js')
const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const sizes = { wide: { width: 1280, height: 800 }, narrow: { width: 390, height: 844 } } as const

/** What is serious or worse on the page as it is now. */
const found = async (page: Page): Promise<string[]> => {
  const violations = await page.evaluate(async (values) => {
    const { axe } = globalThis as unknown as { axe: { run: typeof import('axe-core').run } } // put there before the page
    return (await axe.run(document, { runOnly: { type: 'tag', values }, resultTypes: ['violations'], preload: false })).violations
  }, standards)
  return violations.filter(isGrave).map(({ id, nodes }) => `${id}: ${nodes.map(placeOf).join(', ')}`)
}

const isGrave = ({ impact }: axe.Result): boolean => impact === 'serious' || impact === 'critical'
const placeOf = ({ html, failureSummary = '' }: axe.NodeResult): string =>
  `${html.slice(0, 200)} (${failureSummary.split('\n')[1]})`

inBrowser('every view', () => {
  const all = (['light', 'dark'] as const).flatMap((theme) =>
    Object.entries(sizes).map(([size, viewport]) => ({ theme, size, viewport })),
  )
  for (const { theme, size, viewport } of eachNth(all, 3))
    it(`UX-008 has nothing that axe takes for serious, ${theme} and ${size}`, async () => {
      const { gateway, ways } = await scene()
      const person = await newcomer({ colorScheme: theme, viewport })
      // Before the page and its policy, as what runs in a browser's own tools.
      await person.context.addInitScript({ path: program })
      const page = await enter(person, gateway)
      const violations: string[] = []
      for (const view of ways) {
        await goToView(page, view)
        violations.push(...(await found(page)).map((what) => `${view.name}: ${what}`))
      }
      await page.getByRole('button', { name: 'Sessions' }).click()
      await page.getByRole('dialog').getByText('this one').waitFor()
      violations.push(...(await found(page)).map((what) => `sessions: ${what}`))
      await page.getByRole('dialog').press('Escape')
      await page.getByRole('button', { name: 'End this session' }).click()
      await page.getByRole('heading', { name: 'Your session is over' }).waitFor()
      violations.push(...(await found(page)).map((what) => `signed out: ${what}`))
      expect(violations).toEqual([])
    })
})
