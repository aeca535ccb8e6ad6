import type { OptionSpec } from '../command.js'

export const gatewayOption: OptionSpec = [
  '--gateway <url>',
  'the gateway (default TOOLWIRE_URL, else port TOOLWIRE_PORT or 4180 of this machine); its key is in TOOLWIRE_API_KEY',
]

/** Commands that take the config as an operand accept this option too. */
export const configOption: OptionSpec = ['--config <file>', 'the same, as an option']

/** Commands that write or read a found config find there what was accepted of it. */
export const trustOption: OptionSpec = ['--data-dir <folder>', 'data directory, if the gateway is started with this option']

export const connectionOptions: readonly OptionSpec[] = [
  gatewayOption,
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as people type it
  ['--header <line>', 'a header to send, as "Name: value"; ${NAME} is a variable; repeatable', 'many'],
  ['--revision <date>', 'speak only this revision of the protocol'],
  ['--trust', "trust the server's hints about its tools"],
]

export const yesOption: OptionSpec = ['-y, --yes', 'do not ask for confirmation']
export const dryRunOption: OptionSpec = ['--dry-run', 'show the change without writing it']
