// Tests in a real browser, and the people who use it. Any problem on a page fails the test, whether or not the test looks for it.
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterEach, beforeAll, describe, expect } from 'vitest'
import { launch, missing, program } from './chromium.js'
import { Tab, viewport } from './tab.js'

let browser: Browser | undefined
let visitors: Visitor[] = []
/** Empty tabs of former visitors, for reuse. */
let tabs: Tab[] = []

/** A suite that needs a browser. Without a browser it is skipped with a warning; in CI, where every test must run, it fails. */
export function inBrowser(title: string, suite: () => void): void {
  const isSkipped = program === undefined && !process.env.CI
  if (isSkipped) console.warn(`\n${title}: skipped. ${missing}\n`)
  describe.skipIf(isSkipped)(title, () => {
    beforeAll(async () => {
      // The files of a process share one browser, which ends with the process.
      if (browser?.isConnected()) return
      browser = await launch()
      tabs = []
    })
    // Pages close before the gateway that they show, because they would report the lost connection.
    afterEach(closeVisitors)
    suite()
  })
}

/** A person with cookies, storage and tabs of their own. */
export class Visitor {
  readonly context: BrowserContext
  /** The first tab, which another visitor reuses afterwards. */
  readonly #reused: Tab | undefined
  #isUsed = false
  readonly #problems: string[] = []
  readonly #allowed: RegExp[] = []

  constructor(context: BrowserContext, reused?: Tab) {
    this.context = context
    this.#reused = reused
  }

  /** All problems that were noticed on the tabs. */
  get reported(): readonly string[] {
    return this.#problems
  }

  /** The problems that are not allowed. */
  get problems(): readonly string[] {
    return this.#problems.filter((problem) => !this.#allowed.some((pattern) => pattern.test(problem)))
  }

  /** Allows problems that the test causes on purpose. */
  allow(...patterns: readonly RegExp[]): void {
    this.#allowed.push(...patterns)
  }

  /** An empty tab for pages of this origin. Problems on these pages fail the test. */
  async tab(origin: string): Promise<Page> {
    const tab = this.#reused && !this.#isUsed ? this.#reused : await Tab.open(this.context)
    this.#isUsed = true
    tab.watching = { origin, onProblem: (problem) => this.#problems.push(problem) }
    return tab.page
  }

  async open(url: string): Promise<Page> {
    const page = await this.tab(new URL(url).origin)
    await page.goto(url)
    return page
  }

  /** A tab for a page of another site. Its problems are ignored. */
  async openForeign(url: string): Promise<Page> {
    const page = await this.context.newPage()
    await page.goto(url)
    return page
  }

  /** Returns the tab for reuse if it can be cleared; otherwise closes everything. */
  async close(): Promise<void> {
    if (this.#reused && (await this.#reused.empty())) tabs.push(this.#reused)
    else await this.context.close()
  }
}

/** A visitor with the default options, in a reused tab if there is one. */
export async function visitor(): Promise<Visitor> {
  const tab = tabs.pop() ?? (await Tab.open(await newContext({})))
  return register(new Visitor(tab.page.context(), tab))
}

/** A visitor with a new browser context. */
export async function newcomer(options: BrowserContextOptions = {}): Promise<Visitor> {
  return register(new Visitor(await newContext(options)))
}

function register(one: Visitor): Visitor {
  visitors.push(one)
  return one
}

async function newContext(options: BrowserContextOptions): Promise<BrowserContext> {
  if (!browser) throw new Error('Tests in a browser stand in a suite of inBrowser()')
  const context = await browser.newContext({ reducedMotion: 'reduce', viewport, ...options })
  context.setDefaultTimeout(60_000)
  return context
}

async function closeVisitors(): Promise<void> {
  const all = visitors
  visitors = []
  await Promise.all(all.map((one) => one.close()))
  expect(all.flatMap(({ problems }) => problems)).toEqual([])
}
