// The first published edition: text, images and resources, over stdio or HTTP+SSE.
import { asIs, audioAsResource, linkAsText } from './encode-content.js'
import type { Revision } from './revision.js'
import { plainSampling } from './sampling.js'

export const v20241105: Revision = {
  version: '2024-11-05',
  opening: 'handshake',
  methods: new Set([
    'initialize',
    'ping',
    'tools/list',
    'tools/call',
    'resources/list',
    'resources/templates/list',
    'resources/read',
    'resources/subscribe',
    'resources/unsubscribe',
    'prompts/list',
    'prompts/get',
    'completion/complete',
    'logging/setLevel',
  ]),
  batching: false,
  unreadableId: 'null',

  implementationFields: ['name', 'version'],
  describedBy: {
    tool: ['name', 'description', 'inputSchema'],
    resource: ['uri', 'uriTemplate', 'name', 'description', 'mimeType', 'size', 'annotations'],
    prompt: ['name', 'description', 'arguments'],
    argument: ['name', 'description', 'required'],
  },
  titleInAnnotations: false,
  schemaRoots: 'objects',
  dialectNamed: false,
  taskSupport: 'unlisted',

  blocks: { text: asIs, image: asIs, resource: asIs, audio: audioAsResource, resource_link: linkAsText },
  annotationFields: ['audience', 'priority'],
  blockMeta: false,
  structured: 'none',
  stamp: { serverInfo: false },
  cacheHints: false,
  lastCursor: undefined,

  toldToModel: new Set(['rate-limited', 'busy', 'not-approved', 'timed-out']),
  errors: { resourceMissing: -32002, missingCapability: undefined, urlRequired: undefined },

  progressMessage: false,
  logLevelFrom: 'session',
  asking: 'requests',
  questions: { form: undefined, url: undefined, modes: false, sampling: plainSampling, samplingTools: false },
  changes: 'unsolicited',
  tasks: 'none',
  capabilities: { completions: false, logging: true, resourceSubscribe: true, extensions: false, listChangedAlways: false },
  http: {
    versionHeader: 'none',
    mirrored: false,
    sessions: true,
    priming: false,
    resumable: false,
    disconnectCancels: false,
    statusOf: () => 200,
  },
  finish: undefined,
}
