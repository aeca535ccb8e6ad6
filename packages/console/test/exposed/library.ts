import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { moody, upstreamConfig } from '../../../gateway/test/support/running-gateway.js'
import { turnTo } from '../views.js'

const program = fileURLToPath(new URL('./library-server.mjs', import.meta.url))

/** A server whose tools cover all kinds of arguments, results and questions. */
export const library = (...args: string[]) => upstreamConfig('library', moody(program, ...args), { trusted: true })

/** Opens a tool by its address. */
export async function goToTool(page: Page, name: string, tab = ''): Promise<void> {
  await turnTo(page, `exposed/library__${name}${tab && `?tab=${tab}`}`)
  await page.getByRole('tab', { name: 'About' }).waitFor()
}

/** The value of the raw JSON field. */
export const rawJson = async (page: Page): Promise<unknown> => JSON.parse(await page.getByLabel('Raw JSON').inputValue())

/** The text of the outcome when the call is over. The first heading has the badge of the outcome; an answered question has another. */
export async function outcome(page: Page, badge: string): Promise<string> {
  const place = page.getByRole('region', { name: 'Outcome' })
  const standing = place.getByRole('heading', { level: 3 }).first().getByRole('status')
  await expect.poll(() => standing.innerText()).not.toBe('Running')
  expect(await standing.innerText(), await place.innerText()).toBe(badge)
  await expect.poll(() => place.getAttribute('aria-busy')).toBe('false')
  return place.innerText()
}
