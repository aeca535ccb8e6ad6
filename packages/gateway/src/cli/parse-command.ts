import { Command, CommanderError } from 'commander'
import { packageVersion } from '../lifecycle/version.js'
import { type CommandInput, type CommandSpec, exitCodes, type OptionSpec, type RunCommand } from './command.js'
import { commandSpecs } from './specs/index.js'

/** The command with its arguments; or the exit code, if help was printed or the command is unknown. */
type ParsedCommand =
  | (Pick<CommandInput, 'operands' | 'options' | 'command'> & { readonly load: () => Promise<RunCommand> })
  | { readonly exitCode: number }

const everywhere: readonly OptionSpec[] = [
  ['--json', 'print JSON, for scripts'],
  ['--quiet', 'print only the result'],
  ['--no-color', 'no colours'],
  ['--debug', 'show the origin of errors'],
]

/** Parses the command line. Prints help, and errors of usage. */
export async function parseCommand(typed: readonly string[]): Promise<ParsedCommand> {
  const words = helpWords(typed)
  const whole = asTheyAre(words)
  if (whole) return whole
  const { own, command } = divided(words)
  let found: ParsedCommand = { exitCode: exitCodes.ok }
  const root = build((load, operands, options) => {
    found = { load, operands, options, command }
  })
  try {
    await root.parseAsync(own, { from: 'user' })
    return found
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown
    return { exitCode: thrown.exitCode === 0 ? exitCodes.ok : exitCodes.usage }
  }
}

/** `help audit verify` means `audit verify --help`; an unknown command is reported as one. */
function helpWords(words: readonly string[]): readonly string[] {
  const [first, ...names] = words
  if (first !== 'help' || names.length === 0) return words
  return commandSpecs.some(({ name }) => name === names[0]) ? [...names, '--help'] : names
}

/** Commands that parse their own words: `check`, and `completion` for the words typed so far. */
function asTheyAre(words: readonly string[]): ParsedCommand | undefined {
  const rest = { options: {}, command: [] }
  const [first, second] = words
  if (first === 'check') {
    const options = { debug: divided(words).own.includes('--debug') }
    return { ...rest, options, operands: words, load: async () => (await import('./check.js')).run }
  }
  if (first !== 'completion' || second !== 'words') return undefined
  return { ...rest, operands: words.slice(1), load: async () => (await import('./completion/completion.js')).run }
}

/** Splits the words at `--`; the words after it are the command of a server, options included. */
function divided(words: readonly string[]): { own: string[]; command: string[] } {
  const at = words.indexOf('--')
  const own = at === -1 ? [...words] : words.slice(0, at)
  return { own: own.flatMap(argumentsAsInput), command: at === -1 ? [] : words.slice(at + 1) }
}

/** `--json '{…}'` passes arguments; `--json` alone selects the output format. */
function argumentsAsInput(word: string, at: number, all: readonly string[]): string[] {
  if (word === '--json' && all[at + 1]?.trimStart().startsWith('{')) return ['--input']
  return word.startsWith('--json={') ? ['--input', word.slice('--json='.length)] : [word]
}

type Chosen = (load: () => Promise<RunCommand>, operands: string[], options: { [name: string]: unknown }) => void

function build(choose: Chosen): Command {
  const root = new Command('toolwire')
    .description('A gateway in front of MCP servers, with policy, human approval and an audit log.')
    .version(packageVersion, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .usage('<command> [options]')
    .addHelpText('after', '\nHelp and examples for a command: toolwire <command> --help')
    .exitOverride()
  root.configureOutput(outputOf('toolwire'))
  for (const spec of commandSpecs) root.addCommand(made(spec, root, 'toolwire', choose))
  return root
}

function made(spec: CommandSpec, parent: Command, before: string, choose: Chosen): Command {
  const words = `${before} ${spec.name}`
  const command = new Command(spec.name).copyInheritedSettings(parent).configureOutput(outputOf(words)).summary(spec.summary)
  command
    .description(spec.more === undefined ? spec.summary : `${spec.summary}\n\n${spec.more}`)
    .helpOption('-h, --help', 'print help')
  for (const [name, about] of spec.operands ?? []) command.argument(name, about)
  for (const option of [...(spec.options ?? []), ...(spec.load ? everywhere : [])]) addOption(command, option)
  for (const each of spec.commands ?? []) command.addCommand(made(each, command, words, choose))
  if (spec.commands && !spec.load) command.helpCommand(false)
  if (spec.examples) command.addHelpText('after', `\nExamples:\n${examplesOf(spec.examples)}`)
  const { load } = spec
  if (!load) return command
  return command
    .allowExcessArguments(false)
    .action(() => choose(load, command.processedArgs.flat().filter(isText), command.optsWithGlobals()))
}

function addOption(command: Command, [flags, about, many]: OptionSpec): void {
  if (!many) return void command.option(flags, about)
  command.option(flags, about, (value: string, before: string[]) => [...before, value], [])
}

const isText = (value: unknown): value is string => typeof value === 'string'

const examplesOf = (examples: NonNullable<CommandSpec['examples']>): string =>
  examples.map(([line, about]) => `  ${line}\n      ${about}`).join('\n')

/** Errors of the parser on one line, with the name of the program and the help of the command. */
const outputOf = (words: string) => ({
  outputError: (text: string, write: (text: string) => void) => {
    const plain = text
      .replace(/^error: /, '')
      .trim()
      .replaceAll('\n', ' ')
      .replace(/\.$/, '')
    write(`toolwire: ${plain}; see ${words} --help\n`)
  },
})
