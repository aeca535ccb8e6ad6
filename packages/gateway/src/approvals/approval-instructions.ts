// The commands for deciding a pending call.
import { defaultPort } from '../config/gateway-config.js'

/** The URL of the gateway, and of its console if there is one. */
export type GatewayLocation = { readonly url: string; readonly consoleUrl?: string | undefined }

/** The option with which commands find this gateway, unless it has the default address. */
export function gatewayFlag(url: string): string {
  const { origin } = new URL(url)
  return origin === `http://127.0.0.1:${defaultPort}` ? '' : ` --gateway ${origin}`
}

/** Instructions for the caller, whose user may be on another machine. */
export function callerInstructions({ url, consoleUrl }: GatewayLocation, id: string): string {
  const console = consoleUrl === undefined ? '' : `, or open the console at ${consoleUrl}`
  return `A person decides: run "toolwire approve ${id}${gatewayFlag(url)}"${console}`
}

/** Characters of an id that are enough to be unique. */
const enough = 8

/** Instructions for the gateway's own terminal. */
export function terminalInstructions({ url }: GatewayLocation, id: string): string {
  const [approve, deny] = ['approve', 'deny'].map((word) => `toolwire ${word} ${id.slice(0, enough)}${gatewayFlag(url)}`)
  return `${approve}   or   ${deny}`
}
