import type { Row } from '../row.js'
import { argumentRows } from './arguments.js'
import { batchRows } from './batches.js'
import { callRows } from './calls.js'
import { cancellationRows } from './cancellation.js'
import { changeRows } from './changes.js'
import { envelopeRows } from './envelope.js'
import { handshakeRows } from './handshake.js'
import { headerRows } from './headers.js'
import { httpRows } from './http.js'
import { listRows } from './lists.js'
import { malformedRows } from './malformed.js'
import { markRows } from './marks.js'
import { observedRows } from './observed.js'
import { originRows } from './origins.js'
import { pageRows } from './pages.js'
import { pingRows } from './pings.js'
import { progressRows } from './progress.js'
import { resultRows } from './results.js'
import { schemaRows } from './schemas.js'
import { selfDescribingRows } from './self-describing.js'
import { sessionRows } from './sessions.js'
import { steadyListRows } from './steady-lists.js'
import { strainRows } from './strain.js'
import { streamRows } from './streams.js'
import { structuredRows } from './structured.js'

/** Everything that is tried, in this order: what only looks at what has been said comes last. */
export const rows: readonly Row[] = [
  ...envelopeRows,
  ...pingRows,
  ...malformedRows,
  ...batchRows,
  ...handshakeRows,
  ...selfDescribingRows,
  ...listRows,
  ...steadyListRows,
  ...pageRows,
  ...schemaRows,
  ...markRows,
  ...callRows,
  ...argumentRows,
  ...resultRows,
  ...structuredRows,
  ...progressRows,
  ...cancellationRows,
  ...httpRows,
  ...streamRows,
  ...originRows,
  ...sessionRows,
  ...headerRows,
  ...strainRows,
  ...observedRows,
  ...changeRows,
]
