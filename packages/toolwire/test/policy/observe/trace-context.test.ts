import { createTraceState, propagation, TraceFlags } from '@opentelemetry/api'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/json.js'
import { readBaggage, writeBaggage } from '../../../src/policy/observe/baggage.js'
import { readTraceContext, readTraceparent, writeTraceContext } from '../../../src/policy/observe/trace-context.js'
import { checkMetaKeys } from '../../../src/tools/checks/meta-keys.js'
import { expectWithin, howMany } from '../../soak.js'
import { good, isValid, mangled, spanId, traceId } from './parents.js'

describe('traceparent', () => {
  it('is read back unchanged', () => {
    expect(readTraceparent(good)).toEqual({ traceId, spanId, traceFlags: TraceFlags.SAMPLED, isRemote: true })
    expect(readTraceparent(`00-${traceId}-${spanId}-00`)?.traceFlags).toBe(TraceFlags.NONE)
  })

  it('keeps only the sampled flag', () => {
    expect(readTraceparent(`00-${traceId}-${spanId}-ff`)?.traceFlags).toBe(TraceFlags.SAMPLED)
    expect(readTraceparent(`00-${traceId}-${spanId}-fe`)?.traceFlags).toBe(TraceFlags.NONE)
    expect(writeTraceContext({ traceId, spanId, traceFlags: 0xff })).toEqual({ traceparent: good })
  })

  it('may have a later version with additional fields', () => {
    for (const version of ['01', 'cc', 'fe'])
      for (const rest of ['', '-', '-what-the-future-brings'])
        expect(readTraceparent(`${version}-${traceId}-${spanId}-01${rest}`), version + rest).toMatchObject({ traceId, spanId })
  })

  it.each<[string, Json | undefined]>([
    ['nothing', undefined],
    ['null', null],
    ['a number', 0],
    ['a list', [good]],
    ['an object', { traceparent: good }],
    ['an empty string', ''],
    ['the invalid version ff', `ff-${traceId}-${spanId}-01`],
    ['upper case', good.toUpperCase()],
    ['one upper-case digit', good.replace('f', 'F')],
    ['no trace', `00-${'0'.repeat(32)}-${spanId}-01`],
    ['no span', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['too short', good.slice(0, -1)],
    ['too long', `${good}0`],
    ['a field beyond version 00', `${good}-00`],
    ['a later version without a separator', `01-${traceId}-${spanId}-0100`],
    ['space before', ` ${good}`],
    ['space after', `${good} `],
    ['a line end', `${good}\n`],
    ['digits of another script', good.replace('1', '١')],
    ['two values', `${good},${good}`],
  ])('is refused as %s', (_, value) => {
    expect(readTraceparent(value)).toBeUndefined()
  })

  it('META-011 is never read from a mangled value', () => {
    fc.assert(
      fc.property(mangled, (text) => {
        expect(readTraceparent(text) !== undefined, JSON.stringify(text)).toBe(isValid(text))
      }),
      { numRuns: howMany(160, 2_000) },
    )
  })

  it('META-011 is written in a valid form, and not at all for a span without a trace', () => {
    const hex = (length: number) => fc.array(fc.constantFrom(...'0123456789abcdefF'), { minLength: length, maxLength: length })
    fc.assert(
      fc.property(hex(32), hex(16), fc.nat(255), (trace, span, traceFlags) => {
        const { traceparent } = writeTraceContext({ traceId: trace.join(''), spanId: span.join(''), traceFlags })
        if (traceparent === undefined) expect([...trace, ...span]).toContain('F')
        else expect(isValid(traceparent)).toBe(true)
      }),
    )
    expect(writeTraceContext({ traceId: '0'.repeat(32), spanId, traceFlags: 1 })).toEqual({})
    expect(writeTraceContext({ traceId, spanId: 'x', traceFlags: 1 })).toEqual({})
  })
})

describe('tracestate', () => {
  it('is forwarded only with its parent', () => {
    const read = readTraceContext({ traceparent: good, tracestate: 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE' })
    expect(read?.traceState?.get('congo')).toBe('t61rcWkgMzE')
    expect(read && writeTraceContext(read)).toEqual({
      traceparent: good,
      tracestate: 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE',
    })
    expect(readTraceContext({ tracestate: 'rojo=1' })).toBeUndefined()
    expect(readTraceContext({ traceparent: `${good}-`, tracestate: 'rojo=1' })).toBeUndefined()
  })

  it('does not invalidate the parent if it is invalid', () => {
    for (const tracestate of ['', '=', 'no', 'UPPER=1', 'a=\u0007', `a=${'x'.repeat(600)}`, 7, null, {}])
      expect(readTraceContext({ traceparent: good, tracestate })?.traceState?.serialize() || '', String(tracestate)).toBe('')
  })

  it('META-011 is not written if it is invalid', () => {
    const traceState = { ...createTraceState(), serialize: () => 'a=b\u0000' } as ReturnType<typeof createTraceState>
    expect(writeTraceContext({ traceId, spanId, traceFlags: 1, traceState })).toEqual({ traceparent: good })
  })
})

describe('baggage', () => {
  it('is read and written with the properties of its members', () => {
    const baggage = readBaggage('userId=alice , serverNode=DF%2028;hops=3;secret,isProduction=false')
    expect(baggage?.getEntry('serverNode')?.value).toBe('DF 28')
    expect(baggage && writeBaggage(baggage)).toBe('userId=alice,serverNode=DF%2028;hops=3;secret,isProduction=false')
  })

  it('is ignored if it is invalid', () => {
    for (const text of ['', 'a', '=1', 'a=1,', 'a="1"', 'a=1;;', 'a b=1', `a=${'x'.repeat(9_000)}`, 3, null, ['a=1']])
      expect(readBaggage(text), String(text)).toBeUndefined()
    expect(readBaggage('bad=%zz,good=%41')?.getAllEntries()).toEqual([['good', { value: 'A' }]])
  })

  it('is parsed no further than its members need', () => {
    const started = performance.now()
    for (const unit of ['a=b;', 'a=b ,', ' ', 'a=b\t', 'a', '=', ';', ',']) readBaggage(unit.repeat(8_192 / unit.length))
    expectWithin(performance.now() - started, 2_000)
  })

  it('META-011 is written in an encoded form, whatever it contains', () => {
    const entry = fc.record({ value: fc.string({ unit: 'binary', maxLength: 200 }) })
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary', maxLength: 20 }), entry, { maxKeys: 100 }), (entries) => {
        const baggage = writeBaggage(propagation.createBaggage(entries))
        expect(baggage?.length ?? 0).toBeLessThanOrEqual(8_192)
        if (baggage !== undefined) expect(() => checkMetaKeys({ baggage })).not.toThrow()
      }),
    )
    const split = { value: '\ud800', metadata: { toString: () => 'x\ny' } as never }
    expect(writeBaggage(propagation.createBaggage({ half: { value: '\ud800' }, split }))).toBe('half=%EF%BF%BD')
  })

  it('omits members beyond the limit', () => {
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`k${at}`, { value: 'v' }]))
    expect(writeBaggage(propagation.createBaggage(many))?.split(',')).toHaveLength(64)
    const large = { big: { value: 'x'.repeat(9_000) }, small: { value: '1' } }
    expect(writeBaggage(propagation.createBaggage(large))).toBe('small=1')
  })
})
