// The allowlist of commands. A line is matched word by word, together with all that decides which program its words start.
import { wire } from 'toolwire/relay'
import { problem } from '../config-error.js'
import type { Target } from '../gateway-config.js'
import { matchesGlob } from '../globs.js'
import { mayChangeProgram } from './program-files.js'
import type { ServerEntry } from './read-entry.js'
import type { UpstreamContext } from './upstream-config.js'

type Child = Target & { readonly kind: 'child' }
type Allowlist = Pick<UpstreamContext, 'commands' | 'scope'>

/** Refuses to start a command that is not on the allowlist. Without a list, every configured command may start. */
export function checkCommandAllowed(target: Target, { at }: ServerEntry, { commands, scope }: Allowlist): void {
  if (target.kind !== 'child' || !commands || commands.includes('*')) return
  const words = [target.command, ...target.args].map(withSlashes)
  const settings = settingsOf(target, scope)
  const lines = commands.map(parsedLine).filter((line) => areWordsAllowed(words, line.words))
  if (lines.some((line) => areSettingsAllowed(settings, line.settings))) return
  if (lines.length === 0 || settings.length === 0)
    throw problem(`${at}/command`, 'the command is not allowed by toolwire.commands; add it there to start it')
  const names = settings.map((setting) => partsOf(setting)[0])
  const written = names.map((name) => `${name}=…`).join(' ')
  throw problem(
    `${at}/${names.includes('cwd') ? 'cwd' : 'env'}`,
    `the command is not allowed by toolwire.commands with ${names.join(' and ')}, which may change the program that it starts; remove this, or write ${written} before the command there`,
  )
}

/** An entry of the list: variables and the folder as `NAME=value`, then the command and its arguments. */
function parsedLine(line: string) {
  const all = line.split(' ').filter((word) => word !== '')
  const settings = all.slice(
    0,
    all.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word)),
  )
  return { settings: settings.sort(), words: all.slice(settings.length) }
}

/** All that may change the meaning of the words: the folder, and variables with other values than the gateway's own. */
function settingsOf({ env, cwd }: Child, scope: Allowlist['scope']): readonly string[] {
  const variables = Object.entries(env).filter(([name, value]) => mayChangeProgram(name) && value !== scope.env[name])
  const folder = cwd === undefined || cwd === scope.cwd ? [] : [['cwd', cwd]]
  return [...variables, ...folder].map((setting) => setting.join('=')).sort()
}

/** A last word that ends with `*` covers further arguments, too. */
function areWordsAllowed(words: readonly string[], globs: readonly string[]): boolean {
  const isLongEnough = globs.at(-1)?.endsWith('*') ? words.length >= globs.length : words.length === globs.length
  return isLongEnough && globs.every((glob, at) => isWordAllowed(words[at] ?? '', glob))
}

const areSettingsAllowed = (settings: readonly string[], globs: readonly string[]): boolean =>
  settings.length === globs.length &&
  settings.every((setting, at) => {
    const [name, value] = partsOf(setting)
    const [globName, glob] = partsOf(globs[at] ?? '')
    return name === globName && isWordAllowed(withSlashes(value), glob)
  })

function partsOf(setting: string): readonly [name: string, value: string] {
  const at = setting.indexOf('=')
  return [setting.slice(0, at), setting.slice(at + 1)]
}

/** A wildcard within a word stays in its folder, and does not make another package of it. */
function isWordAllowed(word: string, glob: string): boolean {
  if (word === glob || glob === '*') return true
  if (!matchesGlob(glob, word) || wire.hasDotDotSegment(word)) return false
  return (glob.includes('/') || !word.includes('/')) && (namesSource(glob) || !namesSource(word))
}

/** Does a package name its source, such as `x@npm:other` or `x@https://…`? A version or a digest is none. */
const namesSource = (word: string): boolean => !/^(?:[./~]|[A-Za-z]:\/)/.test(word) && /.@(?!sha256:).*[:/]/s.test(word)

/** A backslash is no part of a glob. On Windows it separates folders, as `/` does. */
const withSlashes = (word: string): string => (process.platform === 'win32' ? word.replaceAll('\\', '/') : word)
