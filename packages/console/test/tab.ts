// A tab that one visitor uses after another. A new tab is a new process of the browser, which takes longer than most tests.
import type { BrowserContext, Page } from 'playwright-core'
import { type Watching, watch } from './watched.js'

export const viewport = { width: 1_280, height: 720 }

export class Tab {
  readonly page: Page
  /** The current user of the tab. */
  watching: Watching | undefined

  private constructor(page: Page) {
    this.page = page
  }

  static async open(context: BrowserContext): Promise<Tab> {
    const tab = new Tab(await context.newPage())
    await watch(tab.page, () => tab.watching)
    return tab
  }

  /** Removes all traces of the previous visitor. Returns false if that fails. */
  async empty(): Promise<boolean> {
    this.watching = undefined
    const { page } = this
    if (page.isClosed()) return false
    try {
      const context = page.context()
      await Promise.all(context.pages().map((other) => other === page || other.close()))
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await page.evaluate(() => {
        localStorage.clear()
        sessionStorage.clear()
      })
      await page.goto('about:blank')
      await context.clearCookies()
      await context.setExtraHTTPHeaders({})
      await page.setViewportSize(viewport)
      await page.mouse.move(-1, -1)
      return true
    } catch {
      return false
    }
  }
}
