// Tests in a real browser, and people who use it. Whatever goes wrong on a page fails the test, whether it looked for that or not.
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterEach, beforeAll, describe, expect } from 'vitest'
import { launch, missing, program } from './chromium.js'
import { Tab, viewport } from './tab.js'

let browser: Browser | undefined
let visitors: Visitor[] = []
/** What visitors have left. */
let tabs: Tab[] = []

/** A suite that needs a browser. Without one it is passed over, and says so; in CI, where everything has to be shown, it fails. */
export function inBrowser(title: string, suite: () => void): void {
  const isPassedOver = program === undefined && !process.env.CI
  if (isPassedOver) console.warn(`\n${title}: passed over. ${missing}\n`)
  describe.skipIf(isPassedOver)(title, () => {
    beforeAll(async () => {
      // The files of a process share one, which ends with it.
      if (browser?.isConnected()) return
      browser = await launch()
      tabs = []
    })
    // Before what they visit is closed, which they would notice.
    afterEach(leave)
    suite()
  })
}

/** Somebody with cookies, storage and tabs of their own. */
export class Visitor {
  readonly context: BrowserContext
  /** Their first tab, which somebody else gets after them. */
  readonly #lent: Tab | undefined
  #isUsed = false
  readonly #troubles: string[] = []
  readonly #allowed: RegExp[] = []

  constructor(context: BrowserContext, lent?: Tab) {
    this.context = context
    this.#lent = lent
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
    const tab = this.#lent && !this.#isUsed ? this.#lent : await Tab.open(this.context)
    this.#isUsed = true
    tab.watching = { origin, onTrouble: (trouble) => this.#troubles.push(trouble) }
    return tab.page
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

  /** Leaves their tab behind where it is as good as new. */
  async leave(): Promise<void> {
    if (this.#lent && (await this.#lent.empty())) tabs.push(this.#lent)
    else await this.context.close()
  }
}

/** A visitor without wishes of their own. */
export async function visitor(): Promise<Visitor> {
  const tab = tabs.pop() ?? (await Tab.open(await newContext({})))
  return welcome(new Visitor(tab.page.context(), tab))
}

/** Somebody with a browser in which nobody was before; what they wish is that of their context. */
export async function newcomer(options: BrowserContextOptions = {}): Promise<Visitor> {
  return welcome(new Visitor(await newContext(options)))
}

function welcome(one: Visitor): Visitor {
  visitors.push(one)
  return one
}

async function newContext(options: BrowserContextOptions): Promise<BrowserContext> {
  if (!browser) throw new Error('Tests in a browser stand in a suite of inBrowser()')
  const context = await browser.newContext({ reducedMotion: 'reduce', viewport, ...options })
  context.setDefaultTimeout(60_000)
  return context
}

async function leave(): Promise<void> {
  const all = visitors
  visitors = []
  await Promise.all(all.map((one) => one.leave()))
  expect(all.flatMap(({ troubles }) => troubles)).toEqual([])
}
