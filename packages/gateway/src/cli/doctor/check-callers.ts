// Whether several people have accounts on this machine: then being on it says little about who is calling.
import { readFile } from 'node:fs/promises'
import type { GatewayConfig } from '../../config/index.js'
import { type DoctorFinding, okFinding, warningFinding } from './finding.js'

const firstPerson = 1_000
/** `nobody`, and above it what containers and systems make for themselves. */
const lastPerson = 60_000
const noShell = /(^|\/)(nologin|false|sync|halt|shutdown)$/

/** The names of those who can log in, by the lines of /etc/passwd. */
export function loginNamesIn(passwd: string): string[] {
  return passwd.split('\n').flatMap((line) => {
    const [name = '', , uid = '', , , , shell = ''] = line.split(':')
    const isPerson = /^\d+$/.test(uid) && Number(uid) >= firstPerson && Number(uid) < lastPerson
    return isPerson && shell !== '' && !noShell.test(shell.trim()) ? [name] : []
  })
}

export async function checkCallers({ callers }: GatewayConfig): Promise<DoctorFinding> {
  if (!callers.loopback) return okFinding('callers', 'every caller needs a key or a token')
  const people = loginNamesIn(await readFile('/etc/passwd', 'utf8').catch(() => '')) // other systems keep their people elsewhere
  if (people.length < 2)
    return okFinding('callers', 'programs on this machine may call tools without a key, but not manage the gateway')
  const shown = people.length > 5 ? `${people.slice(0, 5).join(', ')} and ${people.length - 5} more` : people.join(', ')
  const message = `${people.length} people have accounts on this machine (${shown}), and their programs may call tools without a key. To require one: toolwire set callers.loopback false`
  return warningFinding('callers', message)
}
