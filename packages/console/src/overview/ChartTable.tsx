import { Table } from '../parts/table/Table.js'
import { Text } from '../parts/text/Text.js'
import { formatTime } from '../parts/time/format-time.js'
import type { ChartData } from './chart-data.js'

type Props = { readonly data: ChartData; readonly label: string; readonly words: (value: number) => string }

/** What a chart shows, as a table with the latest on top. */
export const ChartTable = ({ data: { times, lines }, label, words }: Props) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: so that its scrolled-off part can be read by keyboard
  <section class="chart-table" aria-label={label} tabIndex={0}>
    <Table caption={label} heads={['Time', ...lines.map(({ key }) => <Text of={key} key={key} />)]}>
      {times
        .map((time, at) => (
          <tr key={time}>
            <th scope="row">{formatTime(time * 1_000)}</th>
            {lines.map(({ key, values }) => (
              <td key={key} class="numbers">
                {typeof values[at] === 'number' ? words(values[at]) : '–'}
              </td>
            ))}
          </tr>
        ))
        .reverse()}
    </Table>
  </section>
)
