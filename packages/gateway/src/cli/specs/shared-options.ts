import type { OptionSpec } from '../command-spec.js'

/** Which gateway is meant. */
export const gatewayOption: OptionSpec = {
  flags: '--gateway <url>',
  about: 'the gateway (default TOOLWIRE_URL, else http://127.0.0.1:4180); its key is in TOOLWIRE_API_KEY',
}

/** The same as the operand, as everything else that names a file has it. */
export const configOption: OptionSpec = { flags: '--config <file>', about: 'the same, as an option' }

/** How a server is reached that is named on the command line. */
export const connectionOptions: readonly OptionSpec[] = [
  gatewayOption,
  { flags: '--header <line>', about: 'a header to send, as "Name: value"; repeatable', many: true },
  { flags: '--revision <date>', about: 'speak only this revision of the protocol' },
  { flags: '--trust', about: "trust the server's hints about its tools" },
]

export const yesOption: OptionSpec = { flags: '-y, --yes', about: 'do not ask for confirmation' }
export const dryRunOption: OptionSpec = { flags: '--dry-run', about: 'show the change without writing it' }
