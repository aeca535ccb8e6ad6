import type { Row } from '../row.js'
import { argumentRows } from './arguments.js'
import { batchRows } from './batches.js'
import { callRows, floodRows } from './calls.js'
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

/** Rows of a lane follow each other, mostly in one conversation; lanes go side by side. */
export const lanes: readonly (readonly Row[])[] = [
  [
    ...envelopeRows,
    ...pingRows,
    ...handshakeRows,
    ...selfDescribingRows,
    ...listRows,
    ...steadyListRows,
    ...pageRows,
    ...schemaRows,
    ...markRows,
    ...httpRows,
    ...originRows,
    ...sessionRows,
    ...headerRows,
  ],
  // These wait for answers that may never come.
  malformedRows,
  batchRows,
  // These call tools, or look at such calls.
  [...callRows, ...argumentRows, ...resultRows, ...structuredRows, ...progressRows, ...cancellationRows, ...streamRows],
]

/** What puts a strain on a server, one after the other, when nothing else is tried: it may not be itself afterwards. */
export const alone: readonly Row[] = [...floodRows, ...strainRows]

/** What looks at everything that was said. */
export const lastly: readonly Row[] = [...observedRows, ...changeRows]

/** Everything that is tried, in the order of reports. */
export const rows: readonly Row[] = [...lanes.flat(), ...alone, ...lastly]
