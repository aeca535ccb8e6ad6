// Each control that a pointer can use is reachable with the Tab key, is visible while it has the focus, and lets the focus go again.
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { inBrowser, visitor } from '../browser.js'
import { enter } from '../gateway.js'
import { goToView, type View } from '../views.js'
import { scene } from './scene.js'

type Reached = {
  readonly name: string
  readonly isLast: boolean
  readonly isNew: boolean
  readonly isSeen: boolean
  readonly isMarked: boolean
}

/** Starts the record of focused elements, with no element focused. */
const prepare = (page: Page): Promise<void> =>
  page.evaluate(() => {
    const known = globalThis as unknown as { reached: Set<Element>; last?: Element }
    known.reached = new Set()
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
  })

const focusedControl = (page: Page): Promise<Reached | undefined> =>
  page.evaluate(() => {
    const known = globalThis as unknown as { reached: Set<Element>; last?: Element }
    const element = document.activeElement
    if (!element || element === document.body) return undefined
    const isNew = !known.reached.has(element)
    // A date input takes several presses of Tab, because it has several fields.
    const isLast = known.last === element
    known.reached.add(element)
    known.last = element
    const label = element instanceof HTMLInputElement ? element.labels?.[0] : undefined
    const isMarked = [element, label, element.parentElement].some((one) => {
      const { outlineStyle, outlineWidth } = one ? getComputedStyle(one) : { outlineStyle: 'none', outlineWidth: '0px' }
      return outlineStyle !== 'none' && outlineWidth !== '0px'
    })
    const { top, bottom, left, right } = (label ?? element).getBoundingClientRect()
    const isSeen = bottom > 0 && top < innerHeight && right > 0 && left < innerWidth
    return { name: element.outerHTML.slice(0, 160), isLast, isNew, isSeen, isMarked }
  })

/** The usable controls that never had the focus. */
const unreachedControls = (page: Page): Promise<string[]> =>
  page.evaluate(() => {
    const { reached } = globalThis as unknown as { reached: Set<Element> }
    const usable = 'a[href], button, input, select, textarea, summary, [tabindex="0"], [role="tab"]'
    // One focused member stands for its group, because arrow keys reach the others.
    const groupOf = (element: Element) =>
      element.closest('[role="tablist"]') ??
      (element instanceof HTMLInputElement && element.type === 'radio' ? element.closest('fieldset') : undefined)
    const groups = new Set([...reached].map(groupOf))
    return [...document.querySelectorAll(usable)]
      .filter((element) => element.checkVisibility({ visibilityProperty: true }) && !element.closest('[inert], :disabled'))
      .filter((element) => !reached.has(element) && !groups.has(groupOf(element) ?? null))
      .map((element) => element.outerHTML.slice(0, 160))
  })

const mostSteps = 250

/** The problems of a walk through a view with the Tab key. */
async function problemsOnWalk(page: Page, { name }: View): Promise<string[]> {
  await prepare(page)
  const wrong: string[] = []
  for (let steps = 0; steps < mostSteps; steps++) {
    await page.keyboard.press('Tab')
    const now = await focusedControl(page)
    if (now?.isNew === false && !now.isLast) break
    if (now && !now.isSeen) wrong.push(`${name}: out of sight: ${now.name}`)
    if (now && !now.isMarked) wrong.push(`${name}: looks as without the focus: ${now.name}`)
  }
  return [...wrong, ...(await unreachedControls(page)).map((what) => `${name}: not reached: ${what}`)]
}

inBrowser('the keyboard', () => {
  it('UX-008 reaches everything on every view, and the focus is seen', async () => {
    const { gateway, ways } = await scene()
    const page = await enter(await visitor(), gateway)
    const wrong: string[] = []
    for (const view of ways) {
      await goToView(page, view)
      wrong.push(...(await problemsOnWalk(page, view)))
    }
    expect(wrong).toEqual([])
  })

  it('keeps the focus on a button that was pressed', async () => {
    const { gateway, ways } = await scene()
    const page = await enter(await visitor(), gateway)
    await goToView(page, ways.find(({ name }) => name === 'exposed')!) // the scene has this view
    for (const name of ['Off', 'On']) {
      const button = page.getByRole('group', { name: 'Availability to callers' }).getByRole('button', { name, exact: true })
      await button.focus()
      await page.keyboard.press('Enter')
      await button.and(page.locator('[aria-pressed="true"]:not([aria-busy])')).waitFor()
      expect(await button.evaluate((one) => one === document.activeElement)).toBe(true)
    }
  })

  it('skips the navigation, stays within a dialog, and returns the focus to the button that opened it', async () => {
    const { gateway } = await scene()
    const page = await enter(await visitor(), gateway)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')
    const sessions = page.getByRole('button', { name: 'Sessions' })
    await sessions.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByText('this one').waitFor()
    for (let steps = 0; steps < 8; steps++) {
      await page.keyboard.press('Tab')
      expect(
        await page.evaluate(() => document.activeElement === document.body || !!document.activeElement?.closest('dialog')),
      ).toBe(true)
    }
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => sessions.evaluate((button) => button === document.activeElement)).toBe(true)
  })
})
