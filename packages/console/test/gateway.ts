// Real gateways with a console, over real servers, for tests in a browser.
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { GatewayConfig } from '../../gateway/src/config/gateway-config.js'
import type { GatewayOptions } from '../../gateway/src/lifecycle/start-gateway.js'
import {
  child,
  folder,
  program,
  type Started,
  started,
  until,
  upstreamConfig,
} from '../../gateway/test/support/running-gateway.js'
import type { Visitor } from './browser.js'
import { keyOf } from './requests.js'

export type Place = Started & {
  /** The origin of the console. */
  readonly home: string
  link(): string
  /** Starts the gateway again at the same address, after it was stopped. */
  again(options?: Partial<GatewayOptions>): Promise<Place>
}

/** A server that reads, writes and takes time. It is trusted, so that its claims are effective. */
export const notes = upstreamConfig('notes', child(program('notes-server.mjs')), { trusted: true })

type Given = Partial<GatewayConfig> & { readonly options?: Partial<GatewayOptions> }

/** Starts a gateway, and waits until it is ready. It serves the built page, or the folder in TOOLWIRE_PAGE. */
export async function place({ options = {}, ...given }: Given = {}): Promise<Place> {
  const { TOOLWIRE_PAGE: page } = process.env
  const config = { dataDir: join(folder(), 'data'), upstreams: [notes], console: { host: '127.0.0.1', port: 0 }, ...given }
  const look = { ...(page && { page }), ...options.console }
  const gateway = await started(config, { ...options, console: look })
  await until(() => isSettled(gateway, config.upstreams))
  const home = gateway.consoleUrl
  if (home === undefined) throw new Error('This gateway has no console')
  const port = Number(new URL(home).port)
  return Object.assign(gateway, {
    home,
    link: () => gateway.loginLink() ?? '',
    async again(other = options) {
      await gateway.close({ drainMs: 0 })
      return place({ ...config, console: { host: '127.0.0.1', port }, options: other })
    },
  })
}

/** True if the tools of every server are listed and every definition is scanned. */
async function isSettled({ control }: Started, upstreams: readonly { readonly id: string }[]): Promise<boolean> {
  const servers = control.servers()
  if (!upstreams.every(({ id }) => servers.some((server) => server.id === id && server.tools > 0))) return false
  const held = control.tools().filter(({ waiting }) => waiting)
  const { waiting, refused } = await control.pins.view()
  return held.length === waiting.length + refused.length
}

/** Opens a login link as a person does, and waits until the session begins. */
export async function enter(person: Visitor, { home, link }: Pick<Place, 'home' | 'link'>): Promise<Page> {
  const page = await person.tab(home)
  const letIn = page.waitForResponse((response) => response.url() === `${home}/session` && response.request().method() === 'POST')
  await page.goto(link())
  expect((await letIn).status()).toBe(200)
  // The page still has to read the response.
  await expect.poll(() => keyOf(page)).not.toBe('')
  return page
}
