import { basename } from 'node:path'
import { parseDocument, readTextFile, withLines } from '../../config/documents/read-document.js'
import {
  type ConfigContent,
  type GatewayConfig,
  ifConfigError,
  type LoadOptions,
  loadConfig,
  refuseUnsharedParts,
} from '../../config/index.js'
import { configuredRules } from '../../guard/policy/configured-rules.js'

/** Reads a config and its policy; throws, with line numbers, for parts that would not work from the database. */
export async function contentToPush(path: string, { env, cwd }: Pick<LoadOptions, 'env' | 'cwd'>) {
  const text = await readTextFile(path)
  const load = (missing: 'keep' | 'refuse') => loadConfig({ path, text, env, cwd, missing })
  const config = await load('keep')
  const document = parseDocument(path, text)
  try {
    refuseUnsharedParts(document.value)
  } catch (thrown) {
    throw withLines(thrown, document, path)
  }
  const policy = await rulesOf(config)
  const lacking = await load('refuse').then(
    () => [],
    ifConfigError(({ message }) => [`Replicas need this: ${message}`]),
  )
  const content: ConfigContent = { config: { name: basename(path), text }, ...(policy && { policy }) }
  return { content, warnings: [...config.warnings, ...lacking] }
}

/** Reads the policy once, so that the text that is checked is the text that is pushed. */
async function rulesOf({ policy, upstreams }: GatewayConfig): Promise<ConfigContent['policy']> {
  if (typeof policy !== 'string') return policy
  const text = await readTextFile(policy)
  await configuredRules({ policy: { name: policy, text }, upstreams })
  return { name: basename(policy), text }
}
