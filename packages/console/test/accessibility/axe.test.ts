// axe-core finds no serious accessibility violation on any view.
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

/** The serious and critical violations on the page in its present state. */
const seriousViolations = async (page: Page): Promise<string[]> => {
  const violations = await page.evaluate(async (values) => {
    const { axe } = globalThis as unknown as { axe: { run: typeof import('axe-core').run } } // set by the init script
    return (await axe.run(document, { runOnly: { type: 'tag', values }, resultTypes: ['violations'], preload: false })).violations
  }, standards)
  return violations.filter(isSerious).map(({ id, nodes }) => `${id}: ${nodes.map(placeOf).join(', ')}`)
}

const isSerious = ({ impact }: axe.Result): boolean => impact === 'serious' || impact === 'critical'
const placeOf = ({ html, failureSummary = '' }: axe.NodeResult): string =>
  `${html.slice(0, 200)} (${failureSummary.split('\n')[1]})`

inBrowser('every view', () => {
  const all = (['light', 'dark'] as const).flatMap((theme) =>
    Object.entries(sizes).map(([size, viewport]) => ({ theme, size, viewport })),
  )
  for (const { theme, size, viewport } of eachNth(all, 3))
    it(`UX-008 has no violation that axe calls serious, ${theme} and ${size}`, async () => {
      const { gateway, ways } = await scene()
      const person = await newcomer({ colorScheme: theme, viewport })
      // An init script runs before the page, so the content security policy of the page does not block it.
      await person.context.addInitScript({ path: program })
      const page = await enter(person, gateway)
      const violations: string[] = []
      for (const view of ways) {
        await goToView(page, view)
        violations.push(...(await seriousViolations(page)).map((what) => `${view.name}: ${what}`))
      }
      await page.getByRole('button', { name: 'Sessions' }).click()
      await page.getByRole('dialog').getByText('this one').waitFor()
      violations.push(...(await seriousViolations(page)).map((what) => `sessions: ${what}`))
      await page.getByRole('dialog').press('Escape')
      await page.getByRole('button', { name: 'End this session' }).click()
      await page.getByRole('heading', { name: 'Your session is over' }).waitFor()
      violations.push(...(await seriousViolations(page)).map((what) => `signed out: ${what}`))
      expect(violations).toEqual([])
    })
})
