// The policy of a discovered config counts by its contents, because it may come with the config from anyone.
import { readNamedFile } from '../documents/read-document.js'
import type { GatewayConfig, PolicyText } from '../gateway-config.js'
import { acceptedFileOf, acceptParts } from './accepted-parts.js'
import type { FileTrust } from './trust.js'
import { policyPart } from './untrusted-parts.js'

const denyAll = JSON.stringify({ rules: [], default: 'deny' })

/** The rules of this file if they were accepted; until then, rules that deny every call. */
export async function foundPolicy(path: string, trust: FileTrust): Promise<PolicyText> {
  const text = await readNamedFile(path, '/toolwire/policy')
  return { name: path, text: trust.holds(policyPart(path, text)) ? text : denyAll, isFile: true }
}

/** Accepts rules that the gateway itself writes to the policy of a discovered config. */
export async function acceptPolicy({ source, trust, policy }: GatewayConfig, text: string): Promise<void> {
  if (source === undefined || !trust || typeof policy !== 'object' || !policy.isFile) return
  await acceptParts(trust.store, [{ file: await acceptedFileOf(source), ...policyPart(policy.name, text) }])
}
