// The gateway in front of servers with the fixtures, each in its own process.
import { type FixturesServer, program, startFixtures, startServer } from './fixtures-process.js'
import type { Side } from './plan.js'
import type { ServerSide } from './server-scenarios.js'

const overHttp = (): Promise<FixturesServer> => inFrontOf(startFixtures)

/** The gateway starts its upstream itself. */
const onPipe = (): Promise<FixturesServer> =>
  startServer('./gateway.js', ['--', process.execPath, program('./server.js'), '--stdio'])

/** The official SDK alone, for comparison. */
const sdk = (): Promise<FixturesServer> => startServer('./gateway-sdk.js')

const ofSdk = (): Promise<FixturesServer> => inFrontOf(sdk)

/** Starts the server of each side. */
export const servers: { readonly [K in Exclude<Side, 'client'>]: ServerSide['start'] } = {
  server: startFixtures,
  'gateway-http': overHttp,
  'gateway-stdio': onPipe,
  sdk,
  'gateway-sdk': ofSdk,
}

async function inFrontOf(start: () => Promise<FixturesServer>): Promise<FixturesServer> {
  const upstream = await start()
  try {
    const gateway = await startServer('./gateway.js', ['--url', upstream.url])
    return {
      url: gateway.url,
      async [Symbol.asyncDispose]() {
        await gateway[Symbol.asyncDispose]()
        await upstream[Symbol.asyncDispose]()
      },
    }
  } catch (thrown) {
    await upstream[Symbol.asyncDispose]()
    throw thrown
  }
}
