// Tests in a real browser, and people who use it. Whatever goes wrong on a page fails the test, whether it looked for that or not.
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterEach, beforeAll, describe, expect } from 'vitest'
import { launch, missing, program } from './chromium.js'
import { watch } from './watched.js'

let browser: Browser | undefined
let visitors: Visitor[] = []

/** A suite that needs a browser. Without one it is passed over, and says so; in CI, where everything has to be shown, it fails. */
export function inBrowser(title: string, suite: () => void): void {
  const isPassedOver = program === undefined && !process.env.CI
  if (isPassedOver) console.warn(`\n${title}: passed over. ${missing}\n`)
  describe.skipIf(isPassedOver)(title, { timeout: 90_000 }, () => {
    beforeAll(async () => {
      // The files of a process share one, which ends with it.
      if (!browser?.isConnected()) browser = await launch()
    }, 90_000)
    // Before what they visit is closed, which they would notice.
    afterEach(leave, 30_000)
    suite()
  })
}

/** Somebody with a browser of their own: cookies, storage and tabs. */
export class Visitor {
  readonly context: BrowserContext
  readonly #troubles: string[] = []
  readonly #allowed: RegExp[] = []

  constructor(context: BrowserContext) {
    this.context = context
  }

  /** All that was noticed on their tabs. */
  get reported(): readonly string[] {
    return this.#troubles
  }

  /** What went wrong there, but for what is allowed. */
  get troubles(): readonly string[] {
    return this.#troubles.filter((trouble) => !this.#allowed.some((pattern) => pattern.test(trouble)))
  }

  /** Troubles that this test causes on purpose. */
  allow(...patterns: readonly RegExp[]): void {
    this.#allowed.push(...patterns)
  }

  /** An empty tab for pages of this origin, on which nothing may go wrong. */
  async tab(origin: string): Promise<Page> {
    const page = await this.context.newPage()
    await watch(page, { origin, onTrouble: (trouble) => this.#troubles.push(trouble) })
    return page
  }

  async open(url: string): Promise<Page> {
    const page = await this.tab(new URL(url).origin)
    await page.goto(url)
    return page
  }

  /** A tab of somebody else's page. */
  async stray(url: string): Promise<Page> {
    const page = await this.context.newPage()
    await page.goto(url)
    return page
  }
}

export async function visitor(options: BrowserContextOptions = {}): Promise<Visitor> {
  if (!browser) throw new Error('Tests in a browser stand in a suite of inBrowser()')
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  context.setDefaultTimeout(20_000)
  const made = new Visitor(context)
  visitors.push(made)
  return made
}

async function leave(): Promise<void> {
  const all = visitors
  visitors = []
  await Promise.all(all.map(({ context }) => context.close()))
  expect(all.flatMap(({ troubles }) => troubles)).toEqual([])
}
