// The words that somebody types to decide about a call that waits.
import { defaultPort } from '../config/gateway-config.js'

/** Where the gateway is, and its console if it has one. */
export type GatewayLocation = { readonly url: string; readonly consoleUrl?: string | undefined }

/** What a command needs besides its words to find this gateway. */
export function gatewayFlag(url: string): string {
  const { origin } = new URL(url)
  return origin === `http://127.0.0.1:${defaultPort}` ? '' : ` --gateway ${origin}`
}

/** For the caller, whose person need not sit where the gateway runs. */
export function callerInstructions({ url, consoleUrl }: GatewayLocation, id: string): string {
  const console = consoleUrl === undefined ? '' : `, or open the console at ${consoleUrl}`
  return `A person decides: run "toolwire approve ${id}${gatewayFlag(url)}"${console}`
}

/** As many characters of an id as nobody else has. */
const enough = 8

/** For the terminal of the gateway. */
export function terminalInstructions({ url }: GatewayLocation, id: string): string {
  const [approve, deny] = ['approve', 'deny'].map((word) => `toolwire ${word} ${id.slice(0, enough)}${gatewayFlag(url)}`)
  return `${approve}   or   ${deny}`
}
