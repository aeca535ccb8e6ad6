// Finds commands that a person should review. A command without findings may still be dangerous.
import { basename } from 'node:path'

type Command = { readonly command: string; readonly args: readonly string[] }

const shells = ['sh', 'bash', 'zsh', 'dash', 'ksh', 'fish', 'cmd', 'powershell', 'pwsh']
const mightier = ['sudo', 'doas', 'su', 'pkexec', 'runas', 'gsudo']
const containers = ['docker', 'podman', 'nerdctl']
const wipers = ['mkfs', 'dd', 'shred', 'fdisk', 'diskpart', 'format']

export function commandRisks({ command, args }: Command): readonly string[] {
  const words = [command, ...args].flatMap((word) => word.split(/[\s;&|()]+/)).map(nameOf)
  const line = [command, ...args].join(' ')
  const risks = [
    words.some((word) => mightier.includes(word)) && 'asks for more rights than yours',
    (isWiping(words) || words.some((word) => wipers.includes(word))) && 'deletes files or disks',
    isRunningDownload(line) && 'runs code that it has just downloaded',
    isShell(command) && args.some(isScript) && 'is a shell line, which may do anything',
    isContainerCommand(command) && isUnconfined(line) && 'is a container with access to the whole machine',
    /\bbase64\s+(?:-d|--decode)\b|-enc(?:odedcommand)?\b/i.test(line) && 'hides part of its behaviour',
  ]
  return risks.filter((risk) => risk !== false)
}

export const isShell = (command: string): boolean => shells.includes(nameOf(command))

export const isContainerCommand = (command: string): boolean => containers.includes(nameOf(command))

const nameOf = (word: string): string =>
  basename(word.replaceAll('\\', '/'))
    .toLowerCase()
    .replace(/\.exe$/, '')

/** Is there `rm` with a recursive or force flag, or an equivalent on Windows? */
function isWiping(words: readonly string[]): boolean {
  const rm = words.indexOf('rm')
  if (rm >= 0 && words.slice(rm + 1).some((word) => /^-[a-z]*[rf]|^--(?:recursive|force)$/.test(word))) return true
  // The words were split at slashes, so the switch /s is the word s.
  return words.slice(0, Math.max(0, words.lastIndexOf('s'))).some((word) => word === 'del' || word === 'rd' || word === 'rmdir')
}

/** Searched part by part, because one pattern for all parts would backtrack on a long line. */
function isRunningDownload(line: string): boolean {
  const download = line.search(/\b(?:curl|wget|iwr|irm|invoke-webrequest)\b/i)
  const rest = download < 0 ? '' : line.slice(download)
  const end = rest.search(/[|;]/)
  return end >= 0 && /\b(?:sh|bash|zsh|node|python3?|iex|perl|ruby)\b/i.test(rest.slice(end))
}

const isScript = (arg: string): boolean => /^-[a-z]*c$|^\/c$|^-command$/i.test(arg)

const isUnconfined = (line: string): boolean =>
  /--privileged\b|--pid[= ]host\b|--network[= ]host\b|docker\.sock\b|(?:-v|--volume)[= ]\/:/.test(line)
