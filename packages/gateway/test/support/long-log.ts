// A log of months, written without the gateway.

/** The time of the first record. */
export const begin = 1_700_000_000_000

/** Only the rows, without hashes: each call has two records, a second apart. */
export const longLog = (records: number, from = begin): string => `
  DELETE FROM audit;
  DELETE FROM calls;
  DELETE FROM stretches;
  WITH RECURSIVE n (s) AS (SELECT 1 UNION ALL SELECT s + 1 FROM n WHERE s < ${records})
  INSERT INTO audit SELECT s, printf('%064d', s),
    printf('{"sequence":%d,"kind":"%s","id":"call-%d","tool":"send","caller":"caller %d","arguments":{"hmac":"%0200d"}}',
      s, iif(s % 2, 'intent', 'outcome'), (s + 1) / 2, s % 1009, s) FROM n;
  INSERT INTO calls SELECT sequence, 'call-' || (sequence + 1) / 2, ${from} + sequence * 1000, 'caller ' || (sequence % 1009), 'mail',
    'tool ' || (sequence % 31), 0, sequence + 1, 1.5, 'allowed', iif(sequence % 99991 = 0, 'error', 'ok'), NULL
    FROM audit WHERE sequence % 2 = 1;
  INSERT INTO stretches SELECT sequence / 1000, min(${from} + sequence * 1000), max(${from} + sequence * 1000)
    FROM audit GROUP BY sequence / 1000;
  UPDATE state SET value = ${records} WHERE name = 'indexed';
`
