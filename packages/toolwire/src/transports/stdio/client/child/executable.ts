import { statSync } from 'node:fs'
import { win32 } from 'node:path'
import type { Command } from './command.js'
import type { Variables } from './environment.js'

// Batch files are run by cmd.exe, which parses the line twice: first itself, and again when the batch file passes its
// arguments on with %*. Special characters are escaped for both passes, including the quotes.

const special = /[()[\]{}%!^"'`<>&|;,=*?\s~+@]/g

const escaped = (text: string): string => text.replace(special, '^$&')

/** Quotes an argument in the way that most Windows programs split command lines. */
export function quoteArgument(argument: string): string {
  // A backslash is literal, except before a quote: there each must be doubled.
  const inside = argument.replace(/(\\*)"/g, '$1$1\\"').replace(/\\+$/, '$&$&')
  return `"${inside}"`
}

/** The arguments of `cmd.exe /d /s /c`: the batch file and its own arguments, escaped. */
export function batchLine(file: string, args: readonly string[]): string {
  if ([file, ...args].some((text) => /[\0\r\n]/.test(text)))
    throw new TypeError('The command and arguments of a batch file cannot contain line breaks')
  return `"${[escaped(file), ...args.map((argument) => escaped(escaped(quoteArgument(argument))))].join(' ')}"`
}

type Executable = { readonly file: string; readonly args: readonly string[]; readonly verbatim: boolean }

/** The command in a form that the system can start. Only Windows needs help: it does not find `npx.cmd` for `npx`. */
export function executable(command: Command, env: Variables, platform = process.platform, exists = isFile): Executable {
  const { command: file, args = [] } = command
  if (platform !== 'win32') return { file, args, verbatim: false }
  const found = find(command, env, exists) ?? givenPath(file)
  if (!/\.(cmd|bat)$/i.test(found)) return { file: found, args, verbatim: false }
  const shell = variable(env, 'COMSPEC') ?? 'cmd.exe'
  return { file: shell, args: ['/d', '/s', '/c', batchLine(win32.normalize(found), args)], verbatim: true }
}

/** Finds a command. Unlike cmd.exe, it skips the current folder, because a project's files must not pass for programs. */
function find({ command, cwd = process.cwd() }: Command, env: Variables, exists: (path: string) => boolean): string | undefined {
  const hasFolder = /[\\/]/.test(command)
  const folders = hasFolder ? [cwd] : (variable(env, 'PATH') ?? '').replaceAll('"', '').split(';').filter(Boolean)
  const extensions = (variable(env, 'PATHEXT') ?? '.COM;.EXE;.BAT;.CMD').split(';').filter(Boolean)
  const isComplete = extensions.some((extension) => command.toLowerCase().endsWith(extension.toLowerCase()))
  const names = isComplete ? [command] : extensions.map((extension) => command + extension.toLowerCase())
  return folders.flatMap((folder) => names.map((name) => win32.resolve(folder, name))).find(exists)
}

/** The command itself if it is a path. A bare name is not given to the system, which would search the current folder first. */
function givenPath(file: string): string {
  if (/[\\/]/.test(file)) return file
  throw Object.assign(new Error(`${file} is not in the PATH`), { code: 'ENOENT' })
}

function variable(env: Variables, name: string): string | undefined {
  const key = Object.keys(env).find((one) => one.toUpperCase() === name)
  return key === undefined ? undefined : env[key]
}

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false
