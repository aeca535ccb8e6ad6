// The first published revision: text, images and resources, over stdio or HTTP+SSE.
import { audioAsResource, blockAsIs, linkAsText } from './encode/encode-content.js'
import { encodePlainSampling } from './encode/encode-sampling.js'
import { type ServerMethod, words } from './methods.js'
import { protocolCodes } from './protocol-codes.js'
import type { Revision } from './revision.js'

export const v20241105: Revision = {
  version: '2024-11-05',
  style: 'handshake',
  methods: new Set<ServerMethod>([
    ...words('initialize ping tools/list tools/call prompts/list prompts/get completion/complete logging/setLevel'),
    ...words('resources/list resources/templates/list resources/read resources/subscribe resources/unsubscribe'),
  ]),
  batching: false,
  unreadableId: 'null',

  fields: {
    implementation: ['name', 'version'],
    tool: ['name', 'description', 'inputSchema'],
    resource: ['uri', 'uriTemplate', 'name', 'description', 'mimeType', 'size', 'annotations'],
    prompt: ['name', 'description', 'arguments'],
    argument: ['name', 'description', 'required'],
    annotations: ['audience', 'priority'],
  },
  titleInAnnotations: false,
  schemaRoots: 'objects',
  dialectNamed: false,
  taskSupport: 'unlisted',

  blocks: { text: blockAsIs, image: blockAsIs, resource: blockAsIs, audio: audioAsResource, resource_link: linkAsText },
  blockMeta: false,
  structured: 'none',
  stamp: { serverInfo: false },
  cacheHints: false,
  lastCursor: undefined,
  emptyCursor: 'ends',

  toldToModel: new Set(words('forbidden rate-limited busy not-approved timed-out definition-changed unsafe-result unrecorded')),
  errors: { resourceMissing: protocolCodes.resourceMissing, missingCapability: undefined, urlRequired: undefined },

  progressMessage: false,
  logLevelFrom: 'session',
  asking: 'requests',
  questions: { form: undefined, url: undefined, modes: false, sampling: encodePlainSampling, samplingTools: false },
  tasks: 'none',
  capabilities: { completions: false, logging: true, extensions: false, listChangedAlways: false },
  http: {
    versionHeader: false,
    mirrored: false,
    sessions: true,
    priming: false,
    resumable: false,
    hangingUpCancels: false,
    onlyOlder: 'any 4xx',
    statusOf: () => 200,
  },
  finish: undefined,
}
