// Do several people have accounts on this machine? Then running on it says little about the caller.
import { readFile } from 'node:fs/promises'
import type { GatewayConfig } from '../../config/index.js'
import { type DoctorFinding, okFinding, warningFinding } from './finding.js'

const firstPerson = 1_000
/** Ids of `nobody`, containers and system services are above. */
const lastPerson = 60_000
const noShell = /(^|\/)(nologin|false|sync|halt|shutdown)$/

/** The accounts of people who can log in, from the lines of /etc/passwd. */
export function loginNamesIn(passwd: string): string[] {
  return passwd.split('\n').flatMap((line) => {
    const [name = '', , uid = '', , , , shell = ''] = line.split(':')
    const isPerson = /^\d+$/.test(uid) && Number(uid) >= firstPerson && Number(uid) < lastPerson
    return isPerson && shell !== '' && !noShell.test(shell.trim()) ? [name] : []
  })
}

export async function checkCallers({ callers }: GatewayConfig): Promise<DoctorFinding> {
  if (!callers.loopback) return okFinding('callers', 'every caller needs a key or a token')
  const people = loginNamesIn(await readFile('/etc/passwd', 'utf8').catch(() => '')) // other systems keep accounts elsewhere
  if (people.length < 2)
    return okFinding('callers', 'programs on this machine may call tools without a key, but not manage the gateway')
  const shown = people.length > 5 ? `${people.slice(0, 5).join(', ')} and ${people.length - 5} more` : people.join(', ')
  const message = `${people.length} people have accounts on this machine (${shown}), and their programs may call tools without a key. To require one: toolwire set callers.loopback false`
  return warningFinding('callers', message)
}
