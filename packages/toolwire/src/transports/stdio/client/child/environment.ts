import type { Command } from './command.js'

const onPosix = 'HOME LOGNAME PATH SHELL TERM USER'.split(' ')
const onWindows = [
  'APPDATA COMSPEC HOMEDRIVE HOMEPATH LOCALAPPDATA PATH PATHEXT PROCESSOR_ARCHITECTURE PROGRAMFILES SYSTEMDRIVE SYSTEMROOT',
  'TEMP USERNAME USERPROFILE',
].flatMap((line) => line.split(' '))

export type Variables = Readonly<Record<string, string | undefined>>

/** The variables of the child: enough to find programs and a home, no secrets, and those declared for it. */
export function environment(
  command: Command,
  ours: Variables = process.env,
  platform = process.platform,
): Record<string, string> {
  const isWindows = platform === 'win32'
  const env: Record<string, string> = { ...command.env }
  // On Windows `Path` and `PATH` are the same variable; the declared one wins.
  const fold = (name: string) => (isWindows ? name.toUpperCase() : name)
  const taken = new Set(Object.keys(env).map(fold))
  for (const name of [...(isWindows ? onWindows : onPosix), ...(command.inherit ?? [])]) {
    const value = ours[name]
    if (value !== undefined && !isFunction(value) && !taken.has(fold(name))) env[name] = value
  }
  return env
}

/** Shells pass functions in variables, and some run the text after the end of a function. */
const isFunction = (value: string): boolean => value.startsWith('()')
