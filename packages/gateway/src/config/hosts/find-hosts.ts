import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Machine } from '../paths.js'
import { type Host, hosts } from './host.js'

/** A file in which a host keeps its servers, be it there or not. */
export type HostFile = { readonly host: Host; readonly scope: 'user' | 'project'; readonly path: string; readonly found: boolean }

/** All places where the known hosts keep their servers on this machine and in this project. */
export async function findHosts(machine: Machine): Promise<HostFile[]> {
  const places = hosts.flatMap((host) => [
    { host, scope: 'user' as const, path: host.user(machine) },
    ...(host.project === undefined ? [] : [{ host, scope: 'project' as const, path: join(machine.cwd, host.project) }]),
  ])
  return places.map((place) => ({ ...place, found: existsSync(place.path) }))
}
