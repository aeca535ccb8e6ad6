import type { Sql } from './connection.js'

const mark = '\uf8f0'

/** Escapes U+0000, which strangers may write into names and PostgreSQL cannot store. `withNul` restores it. */
export const withoutNul = (text: string): string =>
  /[\0\uf8f0]/.test(text) ? text.replace(/[\0\uf8f0]/g, (one) => (one === '\0' ? `${mark}0` : `${mark}1`)) : text

export const withNul = (text: string): string =>
  text.includes(mark) ? text.replace(/\uf8f0([01])/g, (_, which) => (which === '0' ? '\0' : mark)) : text

/** Escapes and restores all texts that are sent and read. */
export const nulSafe =
  (sql: Sql): Sql =>
  async <Row extends object>(text: string, values?: readonly unknown[]) => {
    const rows = await sql<Row>(text, values?.map(sent))
    for (const row of rows)
      for (const [name, cell] of Object.entries(row)) if (hasMark(cell)) Object.assign(row, { [name]: withNul(cell) })
    return rows
  }

const sent = (value: unknown): unknown => {
  if (typeof value === 'string') return withoutNul(value)
  return Array.isArray(value) ? value.map(sent) : value
}

const hasMark = (cell: unknown): cell is string => typeof cell === 'string' && cell.includes(mark)
