import type { OptionSpec } from '../command-spec.js'

/** Which gateway is meant. */
export const gatewayOption: OptionSpec = {
  flags: '--gateway <url>',
  about: 'the gateway to talk to, else TOOLWIRE_URL, else http://127.0.0.1:4180; its key is in TOOLWIRE_API_KEY',
}

/** The same as the operand, as everything else that names a file has it. */
export const configOption: OptionSpec = { flags: '--config <file>', about: 'the same, as an option' }

/** How a server is reached that is named on the command line. */
export const connectionOptions: readonly OptionSpec[] = [
  gatewayOption,
  { flags: '--header <line>', about: 'a header to send, as "Name: value"; as often as needed', many: true },
  { flags: '--revision <date>', about: 'speak this revision of the protocol and no other' },
  { flags: '--trust', about: 'believe what the server says about its tools' },
]

export const yesOption: OptionSpec = { flags: '-y, --yes', about: 'do not ask before it is done' }
export const dryRunOption: OptionSpec = { flags: '--dry-run', about: 'say what would be written, and write nothing' }
