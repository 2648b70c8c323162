-- Every statement of the store as postgresql gets it. Written by `make sql`: change the code, then run it.

-- alerts/alert_rows.py OF_IDS
SELECT a.id, a.open_key, a.namespace, a.rule, a.kind, a.level, a.state, a.job_id, a.cause, a.channels, a.runbook, a.began_at, a.fired_at, a.last_at, a.resolved_at, a.acked_at, a.acked_by, a.ack_note, a.silence_id, a.step, a.escalates_from, a.told_at, a.acted, a.seen, a.ver, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id) AS subject_count, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id AND s.ended_at IS NULL) AS open_count FROM alerts a WHERE a.id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id));

-- alerts/alert_rows.py SUBJECTS_OF
SELECT s.alert_id, s.subject_key, s.subject, s.namespace, s.job_id, s.run_id, s.count, s.first_at, s.last_at, s.ended_at, s.recent, s.data FROM alert_subjects s WHERE s.alert_id = $1 ORDER BY s.subject_key LIMIT $2;

-- alerts/alert_rows.py FIRST_SUBJECTS
SELECT q.* FROM (
  SELECT s.alert_id, s.subject_key, s.subject, s.namespace, s.job_id, s.run_id, s.count, s.first_at, s.last_at, s.ended_at, s.recent, s.data, row_number() OVER (PARTITION BY s.alert_id ORDER BY s.subject_key) AS nth
  FROM alert_subjects s WHERE s.alert_id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id))
) q WHERE q.nth <= $2;

-- alerts/channels.py ALL
SELECT namespace, name, kind, version, document, updated_at, updated_by, last_sent_at, failures, failing_since, last_error FROM channels ORDER BY namespace, name LIMIT 1000;

-- alerts/channels.py OF
SELECT namespace, name, kind, version, document, updated_at, updated_by, last_sent_at, failures, failing_since, last_error FROM channels WHERE namespace = '' OR namespace = $1 ORDER BY namespace, name LIMIT 1000;

-- alerts/channels.py FIND
SELECT namespace, name, kind, version, document, updated_at, updated_by, last_sent_at, failures, failing_since, last_error FROM channels WHERE name = $1 AND (namespace = '' OR namespace = $2) ORDER BY namespace DESC LIMIT 1;

-- alerts/channels.py ADD
INSERT INTO channels (namespace, name, kind, version, document, updated_at, updated_by, reason, failures)
SELECT d.namespace, d.name, d.kind, 1, d.document, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), d.made_by, d.reason, 0 FROM unnest($1::text::text[], $2::text::text[], $3::text::text[], $4::text::text[], $5::text::text[], $6::text::text[]) AS d(namespace, name, kind, document, made_by, reason) WHERE true
ON CONFLICT DO NOTHING;

-- alerts/channels.py CHANGE
UPDATE channels SET kind = $1, version = version + 1, document = $2, updated_at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint),
                    updated_by = $3, reason = $4, failures = 0, failing_since = NULL, last_error = NULL
WHERE namespace = $5 AND name = $6 AND version = $7;

-- alerts/channels.py VERSION
SELECT version FROM channels WHERE namespace = $1 AND name = $2;

-- alerts/channels.py REMOVE
DELETE FROM channels WHERE namespace = $1 AND name = $2;

-- alerts/heartbeat_rows.py DOWN
SELECT h.id, h.namespace, h.name, h.version, h.document, h.is_paused, h.pings, h.last_at, h.last_kind, h.last_text, h.exit_code, h.ok_at, h.started_at, h.took_us, h.due_at, h.deadline_at, h.trouble, h.alarm_at, h.created_at, h.updated_at, h.updated_by, h.reason, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AS now FROM heartbeats h WHERE h.alarm_at <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) ORDER BY h.alarm_at, h.id LIMIT $1;

-- alerts/heartbeats.py ALL
SELECT h.id, h.namespace, h.name, h.version, h.document, h.is_paused, h.pings, h.last_at, h.last_kind, h.last_text, h.exit_code, h.ok_at, h.started_at, h.took_us, h.due_at, h.deadline_at, h.trouble, h.alarm_at, h.created_at, h.updated_at, h.updated_by, h.reason, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AS now FROM heartbeats h ORDER BY h.namespace, h.name LIMIT $1;

-- alerts/heartbeats.py OF_NAMESPACE
SELECT h.id, h.namespace, h.name, h.version, h.document, h.is_paused, h.pings, h.last_at, h.last_kind, h.last_text, h.exit_code, h.ok_at, h.started_at, h.took_us, h.due_at, h.deadline_at, h.trouble, h.alarm_at, h.created_at, h.updated_at, h.updated_by, h.reason, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AS now FROM heartbeats h WHERE h.namespace = $1 ORDER BY h.name LIMIT $2;

-- alerts/heartbeats.py ONE
SELECT h.id, h.namespace, h.name, h.version, h.document, h.is_paused, h.pings, h.last_at, h.last_kind, h.last_text, h.exit_code, h.ok_at, h.started_at, h.took_us, h.due_at, h.deadline_at, h.trouble, h.alarm_at, h.created_at, h.updated_at, h.updated_by, h.reason, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AS now FROM heartbeats h WHERE h.namespace = $1 AND h.name = $2;

-- alerts/heartbeats.py COUNT
SELECT count(*) FROM heartbeats;

-- alerts/heartbeats.py FIRST
INSERT INTO heartbeats (namespace, name, version, document, is_paused, pings, last_text, created_at, updated_at,
                            updated_by, reason)
SELECT d.namespace, d.name, 1, d.document, 0, 0, '', CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), d.made_by, d.reason FROM unnest($1::text::text[], $2::text::text[], $3::text::text[], $4::text::text[], $5::text::text[]) AS d(namespace, name, document, made_by, reason) WHERE true
ON CONFLICT DO NOTHING;

-- alerts/heartbeats.py NEXT
UPDATE heartbeats SET version = version + 1, document = $1, is_paused = $2, started_at = $3,
                      due_at = $4, deadline_at = $5, trouble = $6, alarm_at = $7,
                      updated_at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), updated_by = $8, reason = $9
WHERE id = $10 AND version = $11 AND pings = $12;

-- alerts/heartbeats.py HEARD
UPDATE heartbeats SET pings = pings + 1, last_at = $1, last_kind = $2, last_text = $3,
                      exit_code = $4, ok_at = $5, started_at = $6, took_us = $7,
                      due_at = $8, deadline_at = $9, trouble = $10, alarm_at = $11
WHERE id = $12 AND version = $13 AND pings = $14;

-- alerts/heartbeats.py PINGED
INSERT INTO heartbeat_pings (heartbeat_id, number, at, kind, text, exit_code, took_us, made_by)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8);

-- alerts/heartbeats.py FORGET
DELETE FROM heartbeat_pings WHERE heartbeat_id = $1 AND number <= $2;

-- alerts/heartbeats.py PINGS
SELECT p.number, p.at, p.kind, p.text, p.exit_code, p.took_us, p.made_by
FROM heartbeat_pings p JOIN heartbeats h ON h.id = p.heartbeat_id
WHERE h.namespace = $1 AND h.name = $2 ORDER BY p.number DESC LIMIT $3;

-- alerts/heartbeats.py WATCHED
SELECT h.id, h.namespace, h.name, h.version, h.document, h.is_paused, h.pings, h.last_at, h.last_kind, h.last_text, h.exit_code, h.ok_at, h.started_at, h.took_us, h.due_at, h.deadline_at, h.trouble, h.alarm_at, h.created_at, h.updated_at, h.updated_by, h.reason, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AS now FROM heartbeats h
WHERE h.alarm_at >= $1 AND h.trouble IS NULL AND h.is_paused = 0 ORDER BY h.alarm_at, h.id LIMIT $2;

-- alerts/heartbeats.py EXCUSE
UPDATE heartbeats SET started_at = d.started_at, due_at = d.due_at, deadline_at = d.deadline_at,
                      alarm_at = d.alarm_at
FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::bigint[], $4::text::bigint[], $5::text::bigint[], $6::text::bigint[], $7::text::bigint[]) AS d(id, version, pings, started_at, due_at, deadline_at, alarm_at) WHERE heartbeats.id = d.id AND heartbeats.version = d.version AND heartbeats.pings = d.pings;

-- alerts/heartbeats.py REMOVE
DELETE FROM heartbeats WHERE id = $1;

-- alerts/looks.py MARKS
SELECT CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AS now,
  (SELECT count(*) FROM alert_rules) AS rules, (SELECT coalesce(max(updated_at), 0) FROM alert_rules) AS rules_at,
  (SELECT count(*) FROM silences WHERE until > CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AND ended_by IS NULL) AS silences,
  (SELECT coalesce(max(id), 0) FROM silences) AS silence_id,
  (SELECT count(*) FROM channels) AS channels, (SELECT coalesce(max(updated_at), 0) FROM channels) AS channels_at,
  (SELECT count(*) FROM job_alerts) AS jobs, (SELECT coalesce(max(saved_at), 0) FROM job_alerts) AS jobs_at,
  (SELECT count(*) FROM (SELECT 1 AS one FROM failure_signs LIMIT 1) s) AS signs,
  (SELECT count(*) FROM (SELECT 1 AS one FROM alerts WHERE resolved_at IS NULL LIMIT 1) a) AS known,
  (SELECT count(*) FROM (SELECT 1 AS one FROM heartbeats WHERE alarm_at <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) LIMIT 1) h) AS down;

-- alerts/looks.py SIGNS
SELECT s.run_id, s.job_id, s.at, r.kind, r.error_type, r.error, n.name AS node
FROM failure_signs s LEFT JOIN runs r ON r.id = s.run_id LEFT JOIN nodes n ON n.id = r.session_id
ORDER BY s.run_id LIMIT $1;

-- alerts/looks.py KNOWN
SELECT a.id, a.open_key, a.namespace, a.rule, a.kind, a.level, a.state, a.job_id, a.cause, a.channels, a.runbook, a.began_at, a.fired_at, a.last_at, a.resolved_at, a.acked_at, a.acked_by, a.ack_note, a.silence_id, a.step, a.escalates_from, a.told_at, a.acted, a.seen, a.ver, 0 AS subject_count, 0 AS open_count, s.alert_id, s.subject_key, s.subject, s.namespace AS own, s.job_id AS own_job, s.run_id, s.count, s.first_at, s.last_at AS seen_at, s.ended_at, s.recent, s.data,
  CASE WHEN a.kind = 'failed' AND s.ended_at IS NULL THEN
    CASE WHEN EXISTS (SELECT 1 FROM runs r WHERE r.job_id = s.job_id AND r.id > s.run_id AND r.shard = -1
                                            AND r.state = 'SUCCEEDED')
           OR EXISTS (SELECT 1 FROM jobs j WHERE j.id = s.job_id AND j.deleted_at > 0) THEN 1 ELSE 0 END
  ELSE 0 END AS is_well
FROM alerts a LEFT JOIN alert_subjects s ON s.alert_id = a.id
WHERE a.resolved_at IS NULL AND a.id >= $1 ORDER BY a.resolved_at, a.id, s.subject_key LIMIT $2;

-- alerts/looks.py OF_JOBS
   SELECT r.job_id, r.state, min(r.id) AS run_id, count(*) AS runs,
          min(CASE WHEN r.state = 'PENDING' THEN r.not_before ELSE r.started_at END) AS since,
          min(r.parked) AS parked
FROM job_alerts a JOIN runs r ON r.job_id = a.job_id AND r.state IN ('PENDING', 'RUNNING')
                                         AND r.shard = -1
   WHERE (r.state = 'PENDING' AND r.attempt = 0 AND r.not_before < CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - a.late_us)
      OR (r.state = 'RUNNING' AND r.started_at < CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - a.slower_us)
   GROUP BY r.job_id, r.state ORDER BY r.job_id LIMIT $1;

-- alerts/looks.py LIVE
   SELECT r.job_id, r.state, min(r.id) AS run_id, count(*) AS runs,
          min(CASE WHEN r.state = 'PENDING' THEN r.not_before ELSE r.started_at END) AS since,
          min(r.parked) AS parked
FROM runs r
   WHERE r.state IN ('PENDING', 'RUNNING') AND r.shard = -1
     AND ((r.state = 'PENDING' AND r.attempt = 0 AND r.not_before < CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - $1)
       OR (r.state = 'RUNNING' AND r.started_at < CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - $2))
   GROUP BY r.job_id, r.state ORDER BY r.job_id LIMIT $3;

-- alerts/looks.py UNDECIDED
SELECT a.job_id, 'PENDING' AS state, 0 AS run_id, 1 AS runs, c.next_due_at AS since, 0 AS parked
FROM job_alerts a JOIN cursors c ON c.job_id = a.job_id
WHERE c.state = 'active' AND c.next_at IS NOT NULL AND c.next_due_at < CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - a.late_us
ORDER BY a.job_id LIMIT $1;

-- alerts/looks.py JOBS
SELECT j.id, j.name, j.namespace, j.deleted_at, v.definition
FROM jobs j JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
WHERE j.id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id));

-- alerts/looks.py ANOMALIES
SELECT j.id, j.name, j.namespace, j.deleted_at, v.definition, a.kind, a.began_at, a.facts
FROM anomalies a JOIN jobs j ON j.id = a.job_id JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
WHERE a.is_open = 1 AND j.deleted_at = 0 ORDER BY a.id LIMIT $1;

-- alerts/notices.py PUT
INSERT INTO outbox (notice_key, delivery_id, kind, level, namespace, channel, alert_id, data, state, attempt,
                        is_repeat, created_at, next_at)
SELECT d.notice_key, d.delivery_id, d.kind, d.level, d.namespace, d.channel, d.alert_id, d.data, 'waiting', 0, 0,
       $1, CASE WHEN d.not_before > $1 THEN d.not_before ELSE $1 END
FROM unnest($2::text::text[], $3::text::text[], $4::text::text[], $5::text::text[], $6::text::text[], $7::text::text[], $8::text::bigint[], $9::text::text[], $10::text::bigint[]) AS d(notice_key, delivery_id, kind, level, namespace, channel, alert_id, data, not_before) WHERE true ON CONFLICT DO NOTHING;

-- alerts/outbox.py DUE
SELECT id, state FROM outbox WHERE next_at <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) ORDER BY next_at, id LIMIT $1 FOR UPDATE SKIP LOCKED;

-- alerts/outbox.py CLAIM
UPDATE outbox SET state = 'sending', claim = $1, sent_by = $2, attempt = outbox.attempt + 1,
                  next_at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) + $3, is_repeat = CASE WHEN d.ran_out = 1 THEN 1 ELSE outbox.is_repeat END
FROM unnest($4::text::bigint[], $5::text::bigint[]) AS d(id, ran_out) WHERE outbox.id = d.id AND outbox.next_at <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint);

-- alerts/outbox.py OF_IDS
SELECT o.id, o.notice_key, o.delivery_id, o.kind, o.level, o.namespace, o.channel, o.alert_id, o.data, o.state, o.attempt, o.is_repeat, o.created_at, o.next_at, o.claim, o.settled_at, o.sent_by, o.error FROM outbox o WHERE o.id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id));

-- alerts/outbox.py SETTLE
UPDATE outbox SET state = d.state, next_at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) + d.retry_in, error = d.error, claim = NULL,
                  attempt = outbox.attempt - d.tries_back,
                  is_repeat = CASE WHEN d.repeats = 1 THEN 1 ELSE outbox.is_repeat END,
                  settled_at = CASE WHEN d.is_final = 1 THEN CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) END
FROM unnest($1::text::bigint[], $2::text::text[], $3::text::text[], $4::text::bigint[], $5::text::text[], $6::text::bigint[], $7::text::bigint[], $8::text::bigint[]) AS d(id, claim, state, retry_in, error, tries_back, repeats, is_final) WHERE outbox.id = d.id AND outbox.claim = d.claim AND outbox.state = 'sending';

-- alerts/outbox.py HEALTH
UPDATE channels SET last_sent_at = CASE WHEN d.is_well = 1 THEN CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) ELSE channels.last_sent_at END,
                    failures = CASE WHEN d.is_well = 1 THEN 0 ELSE channels.failures + d.failures END,
                    failing_since = CASE WHEN d.is_well = 0 THEN coalesce(channels.failing_since, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint)) END,
                    last_error = d.error
FROM unnest($1::text::text[], $2::text::text[], $3::text::bigint[], $4::text::bigint[], $5::text::text[]) AS d(namespace, name, is_well, failures, error) WHERE channels.namespace = d.namespace AND channels.name = d.name;

-- alerts/outbox.py SENT_LATELY
SELECT d.namespace, d.name, count(*) AS sent, min(o.settled_at) AS oldest_at
FROM unnest($1::text::text[], $2::text::text[], $3::text::bigint[]) AS d(namespace, name, within) JOIN outbox o ON o.settled_at > CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - d.within AND o.namespace = d.namespace AND o.channel = d.name
WHERE o.state = 'sent' GROUP BY d.namespace, d.name;

-- alerts/outbox.py BEFORE
SELECT o.id, o.notice_key, o.delivery_id, o.kind, o.level, o.namespace, o.channel, o.alert_id, o.data, o.state, o.attempt, o.is_repeat, o.created_at, o.next_at, o.claim, o.settled_at, o.sent_by, o.error FROM outbox o WHERE o.id < $1 ORDER BY o.id DESC LIMIT $2;

-- alerts/outbox.py OF_ALERT
SELECT o.id, o.notice_key, o.delivery_id, o.kind, o.level, o.namespace, o.channel, o.alert_id, o.data, o.state, o.attempt, o.is_repeat, o.created_at, o.next_at, o.claim, o.settled_at, o.sent_by, o.error FROM outbox o WHERE o.alert_id = $1 AND o.id < $2 ORDER BY o.id DESC LIMIT $3;

-- alerts/outbox.py NEXT
SELECT min(next_at) FROM outbox WHERE next_at > 0;

-- alerts/outbox.py WAITING
SELECT namespace, channel, count(*) AS waiting FROM outbox WHERE next_at > 0 GROUP BY namespace, channel;

-- alerts/outbox.py OLD
SELECT id FROM outbox WHERE settled_at < $1 ORDER BY settled_at, id LIMIT $2;

-- alerts/outbox.py FORGET
DELETE FROM outbox WHERE id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id)) AND settled_at < $2;

-- alerts/questions.py LAST_RUNS
SELECT d.job_id, d.of_last, r.id, r.state FROM unnest($1::text::bigint[], $2::text::bigint[]) AS d(job_id, of_last) JOIN runs r ON r.job_id = d.job_id AND r.shard = -1
  AND r.id >= coalesce((SELECT x.id FROM runs x WHERE x.job_id = d.job_id AND x.shard = -1
                          AND x.state IN ('SUCCEEDED', 'FAILED') AND (x.follow & 128) <> 128
                        ORDER BY x.id DESC LIMIT 1 OFFSET $3), 0)
WHERE r.state IN ('SUCCEEDED', 'FAILED') AND (r.follow & 128) <> 128 AND r.parent_id IS NULL;

-- alerts/questions.py FAILED_SINCE
SELECT d.job_id, d.within_us, count(DISTINCT coalesce(r.parent_id, r.id)) AS failed
FROM unnest($1::text::bigint[], $2::text::bigint[]) AS d(job_id, within_us) JOIN attempts a ON a.job_id = d.job_id AND a.ended_at > CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - d.within_us
JOIN runs r ON r.id = a.run_id AND r.state = 'FAILED' AND (r.follow & 128) <> 128
GROUP BY d.job_id, d.within_us;

-- alerts/questions.py SILENT
SELECT j.id FROM jobs j JOIN cursors c ON c.job_id = j.id
WHERE j.deleted_at = 0 AND c.state = 'active' AND c.next_at IS NOT NULL AND j.created_at < CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - $1
  AND j.id NOT IN (SELECT s.job_id FROM stats s
                   WHERE s.resolution = $2 AND s.start_at >= $3 AND s.succeeded > 0)
ORDER BY j.id LIMIT $4;

-- alerts/questions.py SKETCHES
SELECT s.job_id, s.took_sketch FROM unnest($1::text::bigint[], $2::text::bigint[]) AS d(start_at, job_id) JOIN stats s
ON s.resolution = 1 AND s.start_at = d.start_at AND s.job_id = d.job_id
WHERE s.is_part = 0 AND s.took > 0;

-- alerts/questions.py NAMED
SELECT j.id, j.namespace, j.name FROM jobs j
WHERE j.deleted_at = 0 AND j.name IN (SELECT d.name FROM unnest($1::text::text[]) AS d(name)) ORDER BY j.id LIMIT $2;

-- alerts/questions.py ENDED
SELECT s.job_id, s.succeeded, s.failed, s.retries, s.delay_max_us FROM unnest($1::text::bigint[], $2::text::bigint[]) AS d(start_at, job_id) JOIN stats s
ON s.resolution = 0 AND s.start_at = d.start_at AND s.job_id = d.job_id
WHERE s.is_part = 0 AND (s.job_id > 0 OR s.node = '');

-- alerts/questions.py POLICIES
SELECT a.job_id, j.namespace, a.document FROM job_alerts a
JOIN jobs j ON j.id = a.job_id AND j.deleted_at = 0 AND j.version = a.version;

-- alerts/questions.py ACTED
SELECT e.subject AS rule, count(*) AS acts FROM events e
WHERE e.subject IN (SELECT d.rule FROM unnest($1::text::text[]) AS d(rule)) AND e.kind = 'alert.acted' AND e.at > CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - $2 GROUP BY e.subject;

-- alerts/record.py TAKE_SIGNS
DELETE FROM failure_signs WHERE run_id IN (SELECT d.run_id FROM unnest($1::text::bigint[]) AS d(run_id));

-- alerts/record.py OPEN
INSERT INTO alerts (open_key, namespace, rule, kind, level, state, job_id, cause, channels, runbook, began_at, fired_at, last_at, resolved_at, silence_id, step, escalates_from, told_at, acted, seen, ver)
SELECT d.open_key, d.namespace, d.rule, d.kind, d.level, d.state, d.job_id, d.cause, d.channels, d.runbook, d.began_at, d.fired_at, d.last_at, d.resolved_at, d.silence_id, d.step, d.escalates_from, d.told_at, d.acted, d.seen, 1 FROM unnest($1::text::text[], $2::text::text[], $3::text::text[], $4::text::text[], $5::text::text[], $6::text::text[], $7::text::bigint[], $8::text::text[], $9::text::text[], $10::text::text[], $11::text::bigint[], $12::text::bigint[], $13::text::bigint[], $14::text::bigint[], $15::text::bigint[], $16::text::bigint[], $17::text::bigint[], $18::text::bigint[], $19::text::bigint[], $20::text::bigint[]) AS d(open_key, namespace, rule, kind, level, state, job_id, cause, channels, runbook, began_at, fired_at, last_at, resolved_at, silence_id, step, escalates_from, told_at, acted, seen) WHERE true ON CONFLICT DO NOTHING;

-- alerts/record.py IDS
SELECT a.open_key, a.id FROM alerts a WHERE a.open_key IN (SELECT d.open_key FROM unnest($1::text::text[]) AS d(open_key));

-- alerts/record.py CHANGE
UPDATE alerts SET ver = alerts.ver + 1, open_key = d.open_key, level = d.level, state = d.state,
       channels = d.channels, fired_at = d.fired_at, last_at = d.last_at, resolved_at = d.resolved_at,
       silence_id = d.silence_id, step = d.step, escalates_from = d.escalates_from, told_at = d.told_at,
       acted = d.acted, seen = d.seen
FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::text[], $4::text::text[], $5::text::text[], $6::text::text[], $7::text::bigint[], $8::text::bigint[], $9::text::bigint[], $10::text::bigint[], $11::text::bigint[], $12::text::bigint[], $13::text::bigint[], $14::text::bigint[], $15::text::bigint[]) AS d(id, ver, open_key, level, state, channels, fired_at, last_at, resolved_at, silence_id, step, escalates_from, told_at, acted, seen) WHERE alerts.id = d.id AND alerts.ver = d.ver AND alerts.resolved_at IS NULL;

-- alerts/record.py SEE_AGAIN
UPDATE alert_subjects SET run_id = d.run_id, count = d.times, last_at = d.last_at, ended_at = d.ended_at,
       recent = d.recent, data = d.data
FROM unnest($1::text::bigint[], $2::text::text[], $3::text::text[], $4::text::text[], $5::text::bigint[], $6::text::bigint[], $7::text::bigint[], $8::text::bigint[], $9::text::bigint[], $10::text::bigint[], $11::text::text[], $12::text::text[]) AS d(alert_id, subject_key, subject, namespace, job_id, run_id, times, first_at, last_at, ended_at, recent, data) WHERE alert_subjects.alert_id = d.alert_id AND alert_subjects.subject_key = d.subject_key;

-- alerts/record.py SEE
INSERT INTO alert_subjects (alert_id, subject_key, subject, namespace, job_id, run_id, count, first_at, last_at,
                                ended_at, recent, data)
SELECT d.alert_id, d.subject_key, d.subject, d.namespace, d.job_id, d.run_id, d.times, d.first_at, d.last_at,
       d.ended_at, d.recent, d.data
FROM unnest($1::text::bigint[], $2::text::text[], $3::text::text[], $4::text::text[], $5::text::bigint[], $6::text::bigint[], $7::text::bigint[], $8::text::bigint[], $9::text::bigint[], $10::text::bigint[], $11::text::text[], $12::text::text[]) AS d(alert_id, subject_key, subject, namespace, job_id, run_id, times, first_at, last_at, ended_at, recent, data) WHERE true ON CONFLICT DO NOTHING;

-- alerts/resolution.py CLOSE
UPDATE alerts SET ver = alerts.ver + 1, state = 'resolved', resolved_at = $1, open_key = d.open_key
FROM unnest($2::text::bigint[], $3::text::bigint[], $4::text::text[]) AS d(id, ver, open_key) WHERE alerts.id = d.id AND alerts.ver = d.ver AND alerts.resolved_at IS NULL;

-- alerts/resolution.py END_SUBJECTS
UPDATE alert_subjects SET ended_at = $1
FROM unnest($2::text::bigint[]) AS d(id) WHERE alert_subjects.alert_id = d.id AND alert_subjects.ended_at IS NULL;

-- alerts/rounds.py OLD
SELECT a.id, 1 AS is_alert FROM (
  SELECT id FROM alerts WHERE resolved_at < $1 ORDER BY resolved_at, id LIMIT $2
) a
UNION ALL
SELECT s.id, 0 FROM (SELECT id FROM silences WHERE until < $1 ORDER BY until, id LIMIT $2) s;

-- alerts/rounds.py FORGET_SUBJECTS
DELETE FROM alert_subjects WHERE alert_id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id));

-- alerts/rounds.py FORGET
DELETE FROM alerts WHERE id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id));

-- alerts/rounds.py FORGET_SILENCES
DELETE FROM silences WHERE id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id));

-- alerts/rules.py ALL
SELECT namespace, name, version, document FROM alert_rules ORDER BY namespace, name LIMIT $1;

-- alerts/rules.py VISIBLE
SELECT namespace, name, version, document FROM alert_rules WHERE namespace IN ('', $1) ORDER BY namespace, name LIMIT $2;

-- alerts/rules.py ONE
SELECT namespace, name, version, document FROM alert_rules WHERE namespace = $1 AND name = $2;

-- alerts/rules.py COUNT
SELECT count(*) FROM alert_rules;

-- alerts/rules.py FIRST
INSERT INTO alert_rules (namespace, name, version, document, updated_at, updated_by, reason)
SELECT d.namespace, d.name, 1, d.document, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), d.made_by, d.reason FROM unnest($1::text::text[], $2::text::text[], $3::text::text[], $4::text::text[], $5::text::text[]) AS d(namespace, name, document, made_by, reason) WHERE true ON CONFLICT DO NOTHING;

-- alerts/rules.py NEXT
UPDATE alert_rules SET version = version + 1, document = $1, updated_at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), updated_by = $2,
                       reason = $3
WHERE namespace = $4 AND name = $5 AND version = $6;

-- alerts/rules.py REMOVE
DELETE FROM alert_rules WHERE namespace = $1 AND name = $2;

-- alerts/silences.py IN_FORCE
SELECT id, namespace, document, from_at, until, reason, made_by, ended_by FROM silences WHERE until > CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AND ended_by IS NULL ORDER BY until, id LIMIT $1;

-- alerts/silences.py LATEST
SELECT id, namespace, document, from_at, until, reason, made_by, ended_by FROM silences ORDER BY id DESC LIMIT $1;

-- alerts/silences.py ONE
SELECT id, namespace, document, from_at, until, reason, made_by, ended_by FROM silences WHERE id = $1;

-- alerts/silences.py INSERT
INSERT INTO silences (namespace, document, from_at, until, reason, made_by)
VALUES ($1, $2, $3, $4, $5, $6);

-- alerts/silences.py NEWEST
SELECT id, namespace, document, from_at, until, reason, made_by, ended_by FROM silences WHERE made_by = $1 AND from_at = $2 ORDER BY id DESC LIMIT 1;

-- alerts/silences.py END
UPDATE silences SET ended_by = $1 WHERE id = $2 AND ended_by IS NULL AND until > CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint);

-- alerts/silences.py HUSH
UPDATE alerts SET silence_id = $1, ver = ver + 1
WHERE id = $2 AND resolved_at IS NULL AND $3 <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint);

-- alerts/silences.py UNHUSH
UPDATE alerts SET silence_id = NULL, ver = ver + 1 WHERE silence_id = $1 AND resolved_at IS NULL;

-- alerts/store.py BEFORE
   SELECT a.id, a.open_key, a.namespace, a.rule, a.kind, a.level, a.state, a.job_id, a.cause, a.channels, a.runbook, a.began_at, a.fired_at, a.last_at, a.resolved_at, a.acked_at, a.acked_by, a.ack_note, a.silence_id, a.step, a.escalates_from, a.told_at, a.acted, a.seen, a.ver, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id) AS subject_count, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id AND s.ended_at IS NULL) AS open_count FROM alerts a WHERE a.id < $1 AND
   ($2 = '' OR EXISTS (SELECT 1 FROM alert_subjects s WHERE s.alert_id = a.id AND s.subject = $2))
ORDER BY a.id DESC LIMIT $3;

-- alerts/store.py OPEN_BEFORE
SELECT a.id, a.open_key, a.namespace, a.rule, a.kind, a.level, a.state, a.job_id, a.cause, a.channels, a.runbook, a.began_at, a.fired_at, a.last_at, a.resolved_at, a.acked_at, a.acked_by, a.ack_note, a.silence_id, a.step, a.escalates_from, a.told_at, a.acted, a.seen, a.ver, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id) AS subject_count, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id AND s.ended_at IS NULL) AS open_count FROM alerts a WHERE a.resolved_at IS NULL AND a.id < $1 AND
($2 = '' OR EXISTS (SELECT 1 FROM alert_subjects s WHERE s.alert_id = a.id AND s.subject = $2))
ORDER BY a.id DESC LIMIT $3;

-- alerts/store.py FIRING
SELECT a.level, a.namespace, count(*) AS n FROM alerts a WHERE a.state = 'firing' AND a.silence_id IS NULL GROUP BY a.level, a.namespace;

-- alerts/store.py ACKNOWLEDGE
UPDATE alerts SET state = 'acknowledged', acked_at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), acked_by = $1, ack_note = $2, ver = ver + 1
WHERE id = $3 AND state = 'firing';

-- alerts/store.py OPEN_OF_RULE
SELECT a.id, a.open_key, a.namespace, a.rule, a.kind, a.level, a.state, a.job_id, a.cause, a.channels, a.runbook, a.began_at, a.fired_at, a.last_at, a.resolved_at, a.acked_at, a.acked_by, a.ack_note, a.silence_id, a.step, a.escalates_from, a.told_at, a.acted, a.seen, a.ver, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id) AS subject_count, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id AND s.ended_at IS NULL) AS open_count FROM alerts a WHERE a.resolved_at IS NULL AND a.rule = $1 ORDER BY a.id LIMIT $2;

-- checkup/gauges.py JOBS_BY_STATE
SELECT c.state, count(*) FROM cursors c JOIN jobs j ON j.id = c.job_id WHERE j.deleted_at = 0 GROUP BY c.state;

-- checkup/gauges.py ASSIGNED_BY_LANE
SELECT q.lane, count(*), min(q.not_before) FROM (
  SELECT r.lane, r.not_before FROM runs r WHERE r.state = 'PENDING' AND r.parked = 2 LIMIT $1
) q WHERE q.not_before <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) GROUP BY q.lane;

-- checkup/gauges.py SUMMARY
SELECT CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AS now, coalesce((SELECT max(e.id) FROM events e), 0) AS newest_event,
       (SELECT count(*) FROM alerts a WHERE a.state = 'firing' AND a.silence_id IS NULL AND a.level = 'critical')
         AS critical,
       (SELECT count(*) FROM alerts a WHERE a.state = 'firing' AND a.silence_id IS NULL AND a.level = 'warning')
         AS warning,
       (SELECT count(*) FROM alerts a WHERE a.state = 'firing' AND a.silence_id IS NULL AND a.level = 'info')
         AS info,
       (SELECT count(*) FROM (SELECT o.id FROM outbox o WHERE o.next_at > 0 LIMIT $1) w) AS notices,
       (SELECT min(w.created_at) FROM (SELECT o.created_at FROM outbox o WHERE o.next_at > 0 LIMIT $1) w)
         AS oldest_notice_at,
       (SELECT count(*) FROM heartbeats) AS checks,
       (SELECT count(*) FROM heartbeats h WHERE h.alarm_at <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint)) AS checks_down,
       count(q.token) AS held, count(*) - count(q.token) AS waiting
FROM (SELECT c.token FROM lock_claims c LIMIT $1) q;

-- checkup/gauges.py NAMES
SELECT j.id, j.namespace, j.name FROM jobs j WHERE j.id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id));

-- checkup/grades.py KEEP
UPDATE checkups SET at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), grades = $1 WHERE id = 1 AND EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = $2);

-- checkup/grades.py KEEP_FIRST
INSERT INTO checkups (id, at, grades)
SELECT d.id, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), d.grades FROM unnest($1::text::bigint[], $2::text::text[]) AS d(id, grades) WHERE EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = $3) ON CONFLICT DO NOTHING;

-- checkup/grades.py KEPT
SELECT at, grades FROM checkups WHERE id = 1;

-- checkup/lane_waits.py OVERDUE
SELECT count(*) FROM (SELECT 1 AS one FROM cursors WHERE next_at <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) LIMIT $1) late;

-- checkup/lane_waits.py FIRST_OF_KIND
SELECT r.lane, r.class, r.priority, r.not_before, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AS now FROM runs r
WHERE r.state = 'PENDING' AND r.parked = 0 AND (r.lane, r.class, r.priority) > ($1, $2, $3)
ORDER BY r.lane, r.class, r.priority, r.not_before LIMIT 1;

-- checkup/lane_waits.py FIRST_OF_QUEUE
SELECT r.assigned_to, r.lane, r.not_before, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AS now FROM runs r
WHERE r.state = 'PENDING' AND r.parked = 2 AND (r.assigned_to, r.lane) > ($1, $2)
ORDER BY r.assigned_to, r.lane, r.assigned_rank LIMIT 1;

-- checkup/lane_waits.py NEEDED_SOON
SELECT DISTINCT v.lane_id FROM (
  SELECT job_id, version FROM cursors WHERE next_at >= 0 ORDER BY next_at LIMIT 100
) c JOIN job_versions v ON v.job_id = c.job_id AND v.version = c.version;

-- checkup/outcomes.py FAILING
SELECT n.job_id, j.namespace, j.name, count(*) AS failed FROM (
  SELECT job_id, state, ended_at FROM runs ORDER BY id DESC LIMIT 2000
) n JOIN jobs j ON j.id = n.job_id
WHERE n.state = 'FAILED' AND n.ended_at >= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - 3600000000 AND j.deleted_at = 0
GROUP BY n.job_id, j.namespace, j.name ORDER BY failed DESC, n.job_id LIMIT $1;

-- checkup/outcomes.py ENDED
SELECT n.state, n.recent, count(*) AS runs FROM (
  SELECT state, CASE WHEN ended_at >= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - 3600000000 THEN 1 ELSE 0 END AS recent
  FROM runs WHERE job_id = $1 ORDER BY id DESC LIMIT 500
) n WHERE n.state IN ('SUCCEEDED', 'FAILED')
GROUP BY n.state, n.recent;

-- checkup/outcomes.py USUAL
SELECT s.job_id, sum(s.succeeded) AS succeeded, sum(s.failed) AS failed FROM unnest($1::text::bigint[], $2::text::bigint[]) AS d(start_at, job_id) JOIN stats s
ON s.resolution = 2 AND s.start_at = d.start_at AND s.job_id = d.job_id AND s.is_part = 0
GROUP BY s.job_id;

-- checkup/readings.py TRANSACTIONS
SELECT extract(epoch FROM statement_timestamp() - a.xact_start) AS age_s, a.pid AS session,
       nullif(a.application_name, '') AS name, 'SELECT pg_terminate_backend(' || a.pid || ')' AS stop, h.hidden
FROM (SELECT count(*) AS hidden FROM pg_stat_activity
      WHERE datname = current_database() AND backend_type IS NULL AND usesysid IS NOT NULL) h
LEFT JOIN (SELECT pid, xact_start, application_name FROM pg_stat_activity
           WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid()
                 AND backend_type = 'client backend'
           ORDER BY xact_start LIMIT 1) a ON true;

-- checkup/readings.py REPLICATION
SELECT coalesce(nullif(application_name, ''), 'pid ' || pid) AS name, state,
       extract(epoch FROM coalesce(replay_lag, interval '0')) AS lag_s, 0 AS kept_bytes
FROM pg_stat_replication
UNION ALL
SELECT slot_name, 'away', 0, coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)
FROM pg_replication_slots WHERE NOT active AND slot_type = 'physical';

-- checkup/readings.py SCHEMA
SELECT v.version_num AS revision, m.readable_from FROM foliot_version v JOIN store_meta m ON m.id = 1;

-- checkup/readings.py STATUS
SELECT id FROM store_meta WHERE id < 0;

-- checkup/readings.py DEAD_ROWS
SELECT relname AS name, n_dead_tup AS dead, n_live_tup AS live FROM pg_stat_user_tables
WHERE schemaname = current_schema() AND relname IN ('runs', 'cursors', 'nodes', 'limits', 'attempts', 'leases', 'lock_claims', 'events');

-- checkup/readings.py HISTORY
SELECT id FROM store_meta WHERE id < 0;

-- checkup/readings.py CONNECTIONS
SELECT count(*) AS used, CAST(current_setting('max_connections') AS integer)
       - CAST(current_setting('superuser_reserved_connections') AS integer) AS most
FROM pg_stat_activity WHERE backend_type = 'client backend' OR backend_type IS NULL;

-- checkup/readings.py SETTINGS
SELECT name, setting AS value FROM pg_settings WHERE name IN ('fsync', 'full_page_writes');

-- checkup/readings.py SIZE
SELECT pg_database_size(current_database()) AS bytes;

-- checkup/readings.py FILE
SELECT id FROM store_meta WHERE id < 0;

-- checkup/readings.py TOGETHER
SELECT (SELECT CAST(json_agg(q) AS text) FROM (
    SELECT extract(epoch FROM statement_timestamp() - a.xact_start) AS age_s, a.pid AS session,
           nullif(a.application_name, '') AS name, 'SELECT pg_terminate_backend(' || a.pid || ')' AS stop, h.hidden
    FROM (SELECT count(*) AS hidden FROM pg_stat_activity
          WHERE datname = current_database() AND backend_type IS NULL AND usesysid IS NOT NULL) h
    LEFT JOIN (SELECT pid, xact_start, application_name FROM pg_stat_activity
               WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid()
                     AND backend_type = 'client backend'
               ORDER BY xact_start LIMIT 1) a ON true
    ) q) AS transactions, (SELECT CAST(json_agg(q) AS text) FROM (
    SELECT coalesce(nullif(application_name, ''), 'pid ' || pid) AS name, state,
           extract(epoch FROM coalesce(replay_lag, interval '0')) AS lag_s, 0 AS kept_bytes
    FROM pg_stat_replication
    UNION ALL
    SELECT slot_name, 'away', 0, coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0)
    FROM pg_replication_slots WHERE NOT active AND slot_type = 'physical'
    ) q) AS replication, (SELECT CAST(json_agg(q) AS text) FROM (SELECT v.version_num AS revision, m.readable_from FROM foliot_version v JOIN store_meta m ON m.id = 1) q) AS schema, (SELECT CAST(json_agg(q) AS text) FROM (
    SELECT relname AS name, n_dead_tup AS dead, n_live_tup AS live FROM pg_stat_user_tables
    WHERE schemaname = current_schema() AND relname IN ('runs', 'cursors', 'nodes', 'limits', 'attempts', 'leases', 'lock_claims', 'events')
    ) q) AS dead_rows, (SELECT CAST(json_agg(q) AS text) FROM (
    SELECT count(*) AS used, CAST(current_setting('max_connections') AS integer)
           - CAST(current_setting('superuser_reserved_connections') AS integer) AS most
    FROM pg_stat_activity WHERE backend_type = 'client backend' OR backend_type IS NULL
    ) q) AS connections, (SELECT CAST(json_agg(q) AS text) FROM (SELECT name, setting AS value FROM pg_settings WHERE name IN ('fsync', 'full_page_writes')) q) AS settings, (SELECT CAST(json_agg(q) AS text) FROM (SELECT pg_database_size(current_database()) AS bytes) q) AS size;

-- cluster/beats.py HELD
    SELECT n.state, n.beat_no, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), c.whole, n.slots, n.until, n.band, n.band_turn_at, n.band_cause, n.drill,
           n.role, m.reap_after, m.last_tick_at,
           r.id, r.lease_id, r.request_no, r.job_id, r.version, r.started_at, r.leased_at,
           CASE WHEN r.cancel_at IS NOT NULL AND r.deadline_at <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) THEN 2
                WHEN r.cancel_at IS NOT NULL OR (
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.job_id = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
) THEN 1 ELSE 0 END
    FROM nodes n JOIN store_meta m ON m.id = 1 LEFT JOIN codes c ON c.hash = n.code
    LEFT JOIN runs r ON r.session_id = n.id AND r.state = 'RUNNING'
    WHERE n.id = $1;

-- cluster/beats.py FREE
SELECT r.id FROM runs r
WHERE r.id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id))
  AND EXISTS (SELECT 1 FROM nodes n WHERE n.id = $2 AND n.beat_no = $3)
ORDER BY r.id FOR UPDATE SKIP LOCKED;

-- cluster/beats.py STARTED
UPDATE runs SET ver = runs.ver + 1, checkpoint = coalesce(d.checkpoint, runs.checkpoint),
       started_at = coalesce(runs.started_at, d.started_at),
       deadline_at = CASE WHEN runs.started_at IS NULL AND d.started_at IS NOT NULL
                               AND NOT (runs.cancel_at IS NOT NULL AND runs.deadline_at <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint))
                          THEN d.deadline_at ELSE runs.deadline_at END
FROM unnest($1::text::bigint[], $2::text::text[], $3::text::bigint[], $4::text::bigint[], $5::text::text[]) AS d(id, lease_id, started_at, deadline_at, checkpoint)
WHERE runs.id = d.id AND runs.lease_id = d.lease_id
  AND (runs.started_at IS NULL AND d.started_at IS NOT NULL
       OR d.checkpoint IS NOT NULL AND (runs.checkpoint IS NULL OR runs.checkpoint <> d.checkpoint));

-- cluster/beats.py BEAT
UPDATE nodes SET until = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) + $1, last_beat_at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), beat_no = $2, settled = $3, load = $4,
       progress = $5, wall_offset_us = coalesce($6, wall_offset_us),
       band_at = CASE WHEN coalesce(band, 'ONLINE') = $7 THEN band_at ELSE CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) END,
       band = $7, band_turn_at = $8, band_cause = $9,
       ready_at = CASE WHEN ready_at IS NULL AND $10 = 0 THEN CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) ELSE ready_at END,
       draining_at = CASE WHEN state = 'live' AND $11 = 1 THEN CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) ELSE draining_at END,
       state = CASE WHEN state = 'live' AND $11 = 1 THEN 'draining' ELSE state END
WHERE id = $12 AND state <> 'dead' AND beat_no < $2;

-- cluster/clock.py REPORT
UPDATE nodes SET clock_offset_us = $1, wall_offset_us = coalesce($2, wall_offset_us)
WHERE id = $3 AND state <> 'dead';

-- cluster/clock.py OVERTAKEN
UPDATE nodes SET clock_offset_us = 0
WHERE id = $1 AND (SELECT m.clock_suspect FROM store_meta m WHERE m.id = 1) = 0;

-- cluster/clock.py LEADS
SELECT n.clock_offset_us FROM nodes n
WHERE n.kind = 'server' AND n.state = 'live' AND n.clock_offset_us IS NOT NULL;

-- cluster/clock.py OFFSETS
SELECT n.wall_offset_us FROM nodes n WHERE n.state = 'live' AND n.wall_offset_us IS NOT NULL
ORDER BY n.id LIMIT $1;

-- cluster/clock.py KNOWN
SELECT clock_suspect, clock_ahead_us, clock_trusted_us FROM store_meta WHERE id = 1;

-- cluster/clock.py SUSPECT
UPDATE store_meta SET clock_suspect = 1, last_good_time = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - $1, clock_ahead_us = $1
WHERE id = 1 AND clock_suspect = 0;

-- cluster/clock.py AHEAD
UPDATE store_meta SET clock_ahead_us = $1 WHERE id = 1 AND clock_suspect = 1;

-- cluster/clock.py AGREED
UPDATE store_meta SET clock_suspect = 0, clock_ahead_us = NULL WHERE id = 1 AND clock_suspect = 1;

-- cluster/clock.py TRUST
UPDATE store_meta SET clock_trusted_us = $1 WHERE id = 1;

-- cluster/clock.py NO_LEADS
UPDATE nodes SET clock_offset_us = 0 WHERE kind = 'server' AND state <> 'dead';

-- cluster/codes.py LIVE
SELECT DISTINCT n.code, n.namespace, (SELECT max(c.used_at) FROM codes c) AS newest_at
FROM nodes n WHERE n.state IN ('live', 'draining') AND n.kind = 'worker';

-- cluster/codes.py MODULES
SELECT c.hash, c.namespace, c.group_name, m.module FROM unnest($1::text::text[]) AS d(hash) JOIN codes c ON c.hash = d.hash JOIN code_modules m ON m.code = c.hash;

-- cluster/codes.py IS_KEPT
SELECT 1 FROM codes WHERE hash = $1 AND whole >= 1;

-- cluster/codes.py USE
UPDATE codes SET ver = ver + 1, used_at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), whole = 1 WHERE hash = $1 AND whole >= 1;

-- cluster/codes.py TOUCH
UPDATE codes SET ver = ver + 1, used_at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) WHERE hash = $1;

-- cluster/codes.py INSERT
INSERT INTO codes (hash, namespace, group_name, whole, ver, used_at)
SELECT d.hash, d.namespace, d.group_name, 0, 1, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) FROM unnest($1::text::text[], $2::text::text[], $3::text::text[]) AS d(hash, namespace, group_name) WHERE true ON CONFLICT DO NOTHING;

-- cluster/codes.py INSERT_MODULES
INSERT INTO code_modules (code, module) SELECT $1, d.module FROM unnest($2::text::text[]) AS d(module) WHERE true ON CONFLICT DO NOTHING;

-- cluster/codes.py INSERT_JOBS
INSERT INTO code_jobs (namespace, name, code, module)
SELECT d.namespace, d.name, $1, d.module FROM unnest($2::text::text[], $3::text::text[], $4::text::text[]) AS d(namespace, name, module) WHERE true ON CONFLICT DO NOTHING;

-- cluster/codes.py WHOLE
UPDATE codes SET ver = ver + 1, whole = 1 WHERE hash = $1;

-- cluster/codes.py UNUSED
SELECT c.hash, c.ver FROM codes c
WHERE c.used_at < CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - $1
  AND NOT EXISTS (SELECT 1 FROM nodes n WHERE n.code = c.hash AND n.state IN ('live', 'draining'))
ORDER BY c.used_at LIMIT 1;

-- cluster/codes.py OPEN
UPDATE codes SET ver = ver + 1, whole = 0 WHERE hash = $1 AND ver = $2;

-- cluster/codes.py ITS_JOBS
SELECT namespace, name FROM code_jobs WHERE code = $1 ORDER BY namespace, name LIMIT $2;

-- cluster/codes.py FORGET_JOBS
DELETE FROM code_jobs WHERE code = $1 AND (namespace < $2 OR (namespace = $2 AND name <= $3));

-- cluster/codes.py FORGET_MODULES
DELETE FROM code_modules WHERE code = $1;

-- cluster/codes.py FORGET
DELETE FROM codes WHERE hash = $1;

-- cluster/drills.py ASK
INSERT INTO drills (slot, type, node, session_id, for_us, made_by, reason, size_us, state, asked_at)
SELECT d.slot, d.type, d.node, d.session, d.for_us, d.made_by, d.reason, d.size_us, 'asked', CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint)
FROM unnest($1::text::text[], $2::text::text[], $3::text::text[], $4::text::text[], $5::text::bigint[], $6::text::text[], $7::text::text[], $8::text::bigint[]) AS d(slot, type, node, session, for_us, made_by, reason, size_us) WHERE true
ON CONFLICT DO NOTHING;

-- cluster/drills.py IN_SLOT
SELECT id, type, node, session_id, for_us, made_by, reason, state, asked_at, began_at, over_at, noticed_us, ended_at, report, size_us FROM drills WHERE slot = $1;

-- cluster/drills.py ONE
SELECT id, type, node, session_id, for_us, made_by, reason, state, asked_at, began_at, over_at, noticed_us, ended_at, report, size_us FROM drills WHERE id = $1;

-- cluster/drills.py BEFORE
SELECT id, type, node, session_id, for_us, made_by, reason, state, asked_at, began_at, over_at, noticed_us, ended_at, report, size_us FROM drills WHERE id < $1 ORDER BY id DESC LIMIT $2;

-- cluster/drills.py ORDER
UPDATE nodes SET drill = $1 WHERE id = $2 AND state <> 'dead';

-- cluster/drills.py TAKE_BACK
UPDATE nodes SET drill = NULL WHERE id = $1 AND drill = $2;

-- cluster/drills.py FORGET
DELETE FROM drills WHERE id <= $1 AND ended_at IS NOT NULL;

-- cluster/drills.py BEGIN
UPDATE drills SET state = 'running', began_at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) WHERE id = $1 AND session_id = $2 AND state = 'asked';

-- cluster/drills.py IS_RUNNING
SELECT id FROM drills WHERE id = $1 AND session_id = $2 AND state = 'running' AND over_at IS NULL;

-- cluster/drills.py OVER
UPDATE drills SET over_at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), noticed_us = $1
WHERE id = $2 AND session_id = $3 AND state = 'running' AND over_at IS NULL;

-- cluster/drills.py SETTLE
UPDATE drills SET state = $1, report = $2, ended_at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), slot = $3
WHERE id = $4 AND state = $5;

-- cluster/drills.py STOP_ASKED
UPDATE drills SET state = 'stopped', ended_at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), slot = $1
WHERE id = $2 AND state = 'asked';

-- cluster/drills.py FIRED
SELECT r.job_id, r.due_at, r.created_at FROM unnest($1::text::bigint[]) AS d(id) JOIN runs r
ON r.job_id = d.id AND r.fire_key >= $2 AND r.fire_key < $3 AND r.shard = -1 LIMIT $4;

-- cluster/drills.py SKIPPED
SELECT s.job_id, s.from_at, s.to_at FROM unnest($1::text::bigint[]) AS d(id) JOIN skips s
ON s.job_id = d.id AND s.to_at >= $2 AND s.from_at < $3 LIMIT $4;

-- cluster/failover_rows.py OPEN
INSERT INTO failovers (occurrence, type, subject, namespace, began_at, detected_at, last_at, evidence,
                             affected, action, attempts, session_id, term, ver)
SELECT d.occurrence, d.type, d.subject, d.namespace, d.began_at, d.detected_at, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), d.evidence,
       d.affected, d.action, d.attempts, d.session, d.under, 0
FROM unnest($1::text::text[], $2::text::text[], $3::text::text[], $4::text::text[], $5::text::bigint[], $6::text::bigint[], $7::text::text[], $8::text::text[], $9::text::text[], $10::text::bigint[], $11::text::text[], $12::text::bigint[]) AS d(occurrence, type, subject, namespace, began_at, detected_at, evidence, affected, action, attempts, session, under) WHERE (EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = $13) OR $13 IS NULL)
ON CONFLICT DO NOTHING;

-- cluster/failover_rows.py OF_KEYS
SELECT f.id, f.occurrence, f.type, f.subject, f.namespace, f.began_at, f.detected_at, f.last_at, f.evidence, f.affected, f.action, f.attempts, f.session_id, f.term, f.ver, f.outcome, f.done, f.ended_at, f.escalated_at, f.level, f.channel FROM failovers f WHERE f.occurrence IN (SELECT d.occurrence FROM unnest($1::text::text[]) AS d(occurrence));

-- cluster/failover_rows.py OF_IDS
SELECT f.id, f.occurrence, f.type, f.subject, f.namespace, f.began_at, f.detected_at, f.last_at, f.evidence, f.affected, f.action, f.attempts, f.session_id, f.term, f.ver, f.outcome, f.done, f.ended_at, f.escalated_at, f.level, f.channel FROM failovers f WHERE f.id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id));

-- cluster/failover_rows.py ADD
UPDATE failovers SET ver = failovers.ver + 1, last_at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), began_at = d.began_at, evidence = d.evidence,
                     affected = d.affected, attempts = d.attempts
FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::bigint[], $4::text::text[], $5::text::text[], $6::text::bigint[]) AS d(id, ver, began_at, evidence, affected, attempts) WHERE failovers.id = d.id AND failovers.ver = d.ver AND failovers.ended_at IS NULL;

-- cluster/failover_rows.py CLOSE
UPDATE failovers SET ver = failovers.ver + 1, outcome = d.outcome, done = d.done, occurrence = d.occurrence,
                     ended_at = coalesce(d.ended_at, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint)), action = coalesce(d.action, failovers.action)
FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::text[], $4::text::text[], $5::text::text[], $6::text::bigint[], $7::text::text[]) AS d(id, ver, outcome, done, occurrence, ended_at, action) WHERE failovers.id = d.id AND failovers.ver = d.ver AND failovers.ended_at IS NULL;

-- cluster/failovers.py ESCALATE
UPDATE failovers SET ver = failovers.ver + 1, escalated_at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), level = d.level, channel = d.channel
FROM unnest($1::text::bigint[], $2::text::text[], $3::text::text[]) AS d(id, level, channel) WHERE failovers.id = d.id AND failovers.escalated_at IS NULL;

-- cluster/failovers.py STILL_OPEN
SELECT f.id, f.occurrence, f.type, f.subject, f.namespace, f.began_at, f.detected_at, f.last_at, f.evidence, f.affected, f.action, f.attempts, f.session_id, f.term, f.ver, f.outcome, f.done, f.ended_at, f.escalated_at, f.level, f.channel FROM failovers f WHERE f.ended_at IS NULL OR f.ended_at > CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - $1
ORDER BY f.id LIMIT $2;

-- cluster/failovers.py BEFORE
SELECT f.id, f.occurrence, f.type, f.subject, f.namespace, f.began_at, f.detected_at, f.last_at, f.evidence, f.affected, f.action, f.attempts, f.session_id, f.term, f.ver, f.outcome, f.done, f.ended_at, f.escalated_at, f.level, f.channel FROM failovers f WHERE f.id < $1 ORDER BY f.id DESC LIMIT $2;

-- cluster/failovers.py OPEN_BEFORE
SELECT f.id, f.occurrence, f.type, f.subject, f.namespace, f.began_at, f.detected_at, f.last_at, f.evidence, f.affected, f.action, f.attempts, f.session_id, f.term, f.ver, f.outcome, f.done, f.ended_at, f.escalated_at, f.level, f.channel FROM failovers f WHERE f.ended_at IS NULL AND f.id < $1 ORDER BY f.id DESC LIMIT $2;

-- cluster/failovers.py OLD
SELECT id FROM failovers WHERE ended_at < $1 ORDER BY ended_at, id LIMIT $2;

-- cluster/failovers.py FORGET
DELETE FROM failovers WHERE id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id)) AND ended_at < $2;

-- cluster/failovers.py POLICIES
SELECT type, version, document FROM failover_policies;

-- cluster/failovers.py FIRST_POLICY
INSERT INTO failover_policies (type, version, document, updated_at, updated_by, reason)
SELECT d.type, 1, d.document, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), d.made_by, d.reason FROM unnest($1::text::text[], $2::text::text[], $3::text::text[], $4::text::text[]) AS d(type, document, made_by, reason) WHERE true ON CONFLICT DO NOTHING;

-- cluster/failovers.py NEXT_POLICY
UPDATE failover_policies SET version = version + 1, document = $1, updated_at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), updated_by = $2,
                             reason = $3
WHERE type = $4 AND version = $5;

-- cluster/failures.py NEWLY_DEAD
SELECT n.id, n.name, n.kind, n.last_beat_at, n.ended_at FROM nodes n
WHERE n.state = 'dead' AND n.ended_at >= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - $1 AND n.settled <> $2
ORDER BY n.id LIMIT $3;

-- cluster/failures.py HELD_COUNT
SELECT d.id, count(*) FROM unnest($1::text::text[]) AS d(id) JOIN runs r ON r.session_id = d.id AND r.state = 'RUNNING' GROUP BY d.id;

-- cluster/failures.py HELD_RUNS
SELECT d.id AS session, r.id, j.name FROM unnest($1::text::text[]) AS d(id) JOIN runs r ON r.session_id = d.id AND r.state = 'RUNNING'
JOIN jobs j ON j.id = r.job_id ORDER BY r.id LIMIT $2;

-- cluster/failures.py OPEN_DEATHS
SELECT f.id, f.occurrence, f.type, f.affected FROM failovers f
WHERE f.ended_at IS NULL AND f.type IN ('worker_crash', 'server_crash', 'network_partition')
ORDER BY f.id LIMIT $1;

-- cluster/failures.py PROMOTED
SELECT n.promoted_for, n.name, n.role_at FROM nodes n WHERE n.promoted_for IN (SELECT d.id FROM unnest($1::text::text[]) AS d(id));

-- cluster/failures.py FATES
SELECT r.id, r.state, r.kind FROM runs r WHERE r.id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id));

-- cluster/failures.py DEATH
SELECT f.id, f.ver, f.evidence FROM failovers f
WHERE f.occurrence = $1 AND f.type IN ('worker_crash', 'server_crash')
  AND ($2 = '' OR EXISTS (SELECT 1 FROM nodes n WHERE n.id = $3 AND n.owner = $2));

-- cluster/failures.py CAME_BACK
UPDATE failovers SET ver = ver + 1, type = 'network_partition', evidence = $1
WHERE id = $2 AND ver = $3;

-- cluster/failures.py JOBS_OF
SELECT r.id, r.job_id, j.namespace, j.name,
       (SELECT max(a.ended_at) FROM attempts a WHERE a.run_id = r.id) AS overran_at
FROM runs r JOIN jobs j ON j.id = r.job_id WHERE r.id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id));

-- cluster/failures.py OPEN_CLOCK
SELECT f.id FROM failovers f WHERE f.occurrence = $1 AND f.ended_at IS NULL;

-- cluster/kinds.py IS_FRESH
SELECT 1 FROM worker_kinds WHERE hash = $1 AND used_at >= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - $2;

-- cluster/kinds.py USE
UPDATE worker_kinds SET used_at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) WHERE hash = $1;

-- cluster/kinds.py KEEP
INSERT INTO worker_kinds (hash, stated, used_at)
SELECT d.hash, d.stated, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) FROM unnest($1::text::text[], $2::text::text[]) AS d(hash, stated) WHERE true ON CONFLICT DO NOTHING;

-- cluster/kinds.py UNUSED
SELECT w.hash FROM worker_kinds w
WHERE w.used_at < CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - $1
  AND NOT EXISTS (SELECT 1 FROM nodes n WHERE n.kinds = w.hash AND n.state IN ('live', 'draining'))
ORDER BY w.used_at LIMIT $2;

-- cluster/kinds.py FORGET
DELETE FROM worker_kinds WHERE used_at < CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - $1 AND hash IN (SELECT d.hash FROM unnest($2::text::text[]) AS d(hash));

-- cluster/leadership.py RENEW
UPDATE leases SET until = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) + $1
WHERE name = 'leader' AND holder_session = $2 AND until >= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AND until <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) + $1 + $1;

-- cluster/leadership.py RENEW_AND_SAY
UPDATE leases SET until = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) + $1
WHERE name = 'leader' AND holder_session = $2 AND until >= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AND until <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) + $1 + $1
 RETURNING term, until, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), (SELECT m.last_tick_at FROM store_meta m WHERE m.id = 1);

-- cluster/leadership.py WIN
UPDATE leases SET holder_session = $1, term = term + 1, until = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) + $2
WHERE name = 'leader' AND (until < CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) OR until > CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) + $2 + $2);

-- cluster/leadership.py HELD
SELECT l.term, l.until, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), m.last_tick_at FROM leases l JOIN store_meta m ON m.id = 1
WHERE l.name = 'leader';

-- cluster/leadership.py TICK
UPDATE store_meta SET
  reap_after = CASE WHEN 2 * (CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - last_tick_at) > $1 OR last_tick_at > CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint)
                    THEN CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) + $1 ELSE reap_after END,
  last_tick_at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint)
WHERE id = 1;

-- cluster/leadership.py CLAMP
UPDATE nodes SET until = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) + $1 WHERE state <> 'dead' AND until > CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) + $1;

-- cluster/leadership.py RESIGN
UPDATE leases SET until = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - 1 WHERE name = 'leader' AND holder_session = $1 AND term = $2;

-- cluster/leadership.py WISH
UPDATE leases SET holder_session = $1, term = term + 1, until = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) + $2 WHERE name = 'heir';

-- cluster/leadership.py FIRST_WISH
INSERT INTO leases (name, holder_session, term, until)
SELECT 'heir', d.heir, 0, 0 FROM unnest($1::text::text[]) AS d(heir) WHERE true ON CONFLICT DO NOTHING;

-- cluster/leadership.py APPOINT
UPDATE leases SET holder_session = $1, term = term + 1, until = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) + $2
WHERE name = 'leader' AND holder_session = $3 AND term = $4 AND EXISTS (
  SELECT 1 FROM nodes n WHERE n.id = $1 AND n.kind = 'server' AND n.state = 'live' AND n.until > CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint)
    AND coalesce(n.role, 'active') = 'active'
);

-- cluster/leadership.py IS_TERM
SELECT l.term FROM leases l WHERE l.name = 'leader' AND l.term = $1;

-- cluster/maintenance.py BEGIN
UPDATE store_meta SET
  maintenance_at = CASE WHEN maintenance_until > CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) THEN maintenance_at ELSE CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) END,
  maintenance_until = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) + $1,
  maintenance_by = $2, maintenance_reason = $3
WHERE id = 1;

-- cluster/maintenance.py END
UPDATE store_meta SET maintenance_until = 0 WHERE id = 1 AND maintenance_until > CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint);

-- cluster/maintenance.py CLOSE
UPDATE store_meta SET maintenance_until = 0 WHERE id = 1 AND maintenance_until BETWEEN 1 AND CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint);

-- cluster/maintenance.py FOUND
SELECT maintenance_until, maintenance_at, maintenance_by, maintenance_reason, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AS now FROM store_meta WHERE id = 1;

-- cluster/reaper.py DECLARE_DEAD
UPDATE nodes SET state = 'dead', ended_at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint)
WHERE state <> 'dead' AND until < CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - $1
  AND
(SELECT CASE WHEN CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) >= m.reap_after AND 2 * (CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - m.last_tick_at) <= $2
             THEN 1 ELSE 0 END FROM store_meta m WHERE m.id = 1) = 1
  AND EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = $3);

-- cluster/reaper.py OF_THE_DEAD
SELECT r.id, r.lease_id, r.request_no, r.started_at, n.settled, n.progress
FROM nodes n JOIN runs r ON r.session_id = n.id AND r.state = 'RUNNING'
WHERE n.state = 'dead' AND EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = $1)
ORDER BY r.id LIMIT $2;

-- cluster/reaper.py LATE
SELECT r.id, r.lease_id, r.started_at, r.deadline_at, r.job_id, r.version, r.cancel_at, r.session_id
FROM runs r
WHERE r.state = 'RUNNING' AND r.session_id > '' AND r.deadline_at < CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - $1 AND EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = $2)
      AND r.deadline_at < $3
      AND (r.deadline_at, r.id) > ($4, $5)
ORDER BY r.deadline_at, r.id LIMIT $6;

-- cluster/reaper.py LAST_BEATS
SELECT n.id, n.last_beat_at, n.progress FROM nodes n WHERE n.id IN (SELECT d.id FROM unnest($1::text::text[]) AS d(id));

-- cluster/restore.py LIVE_SERVERS
SELECT name FROM nodes WHERE kind = 'server' AND state <> 'dead' AND until > CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) ORDER BY name;

-- cluster/restore.py SESSIONS
SELECT count(*) FROM nodes WHERE state <> 'dead';

-- cluster/restore.py IN_HANDS
SELECT count(*) FROM runs WHERE state = 'RUNNING' AND session_id > '';

-- cluster/restore.py OVERDUE
SELECT count(*), min(o.next_due_at) FROM (
  SELECT c.next_due_at FROM cursors c WHERE c.next_at <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AND c.next_due_at IS NOT NULL
  ORDER BY c.next_at LIMIT $1
) o;

-- cluster/restore.py TERM
SELECT term FROM leases WHERE name = 'leader';

-- cluster/restore.py RAISE
UPDATE store_meta SET epoch = $1, reap_after = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) + $2, clock_suspect = 0, clock_ahead_us = NULL
WHERE id = 1 AND epoch = $3;

-- cluster/restore.py FENCE
UPDATE runs SET ver = ver + 1, lease_id = $1 WHERE state = 'RUNNING' AND session_id > '';

-- cluster/restore.py END_SESSIONS
UPDATE nodes SET state = 'dead', ended_at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) WHERE state <> 'dead';

-- cluster/restore.py NO_LEADER
UPDATE leases SET holder_session = NULL, term = term + $1, until = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - 1 WHERE name = 'leader';

-- cluster/restore.py RUN_IDS.last
SELECT nextval(pg_get_serial_sequence('runs', 'id'));

-- cluster/restore.py RUN_IDS.go_on
SELECT setval(pg_get_serial_sequence('runs', 'id'), $1);

-- cluster/restore.py EVENT_IDS.last
SELECT nextval(pg_get_serial_sequence('events', 'id'));

-- cluster/restore.py EVENT_IDS.go_on
SELECT setval(pg_get_serial_sequence('events', 'id'), $1);

-- cluster/restore.py JOB_IDS.last
SELECT nextval(pg_get_serial_sequence('jobs', 'id'));

-- cluster/restore.py JOB_IDS.go_on
SELECT setval(pg_get_serial_sequence('jobs', 'id'), $1);

-- cluster/roles.py SERVERS
SELECT n.id, n.name, n.role, n.started_at,
       CASE WHEN n.state = 'live' AND n.until >= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) THEN 1 ELSE 0 END AS is_live, p.document, p.version
FROM nodes n LEFT JOIN failover_policies p ON p.type = 'servers'
WHERE n.state IN ('live', 'draining') AND n.kind = 'server';

-- cluster/roles.py PROMOTE
UPDATE nodes SET role = 'active', role_at = $1, promoted_for = $2
WHERE id = $3 AND role = 'standby' AND state = 'live' AND until >= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint);

-- cluster/roles.py SET_ROLE
UPDATE nodes SET role = $1, role_at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), promoted_for = NULL
WHERE id = $2 AND kind = 'server' AND state = 'live' AND coalesce(role, 'active') <> $1;

-- cluster/roles.py IN_TURN
UPDATE leases SET term = term + 1 WHERE name = 'roles';

-- cluster/roles.py FIRST_TURN
INSERT INTO leases (name, holder_session, term, until) VALUES ('roles', NULL, 0, 0) ON CONFLICT DO NOTHING;

-- cluster/roles.py DRAIN
UPDATE nodes SET state = 'draining', drained_by = $1, draining_at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) WHERE id = $2 AND state = 'live';

-- cluster/roles.py GONE
SELECT n.id, n.name FROM nodes n
WHERE n.kind = 'server' AND coalesce(n.role, 'active') = 'active' AND n.settled <> $1
  AND (n.state = 'dead' AND n.ended_at >= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - $2 OR n.state = 'live' AND n.until < CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint))
  AND NOT EXISTS (SELECT 1 FROM nodes p WHERE p.promoted_for = n.id)
ORDER BY n.until DESC, n.id LIMIT 1;

-- cluster/roles.py RULES
SELECT version, document FROM failover_policies WHERE type = 'servers';

-- ending/callbacks.py _LEAVE
DELETE FROM callbacks WHERE run_id = $1 AND lease_id = $2;

-- ending/callbacks.py _OPEN
INSERT INTO callbacks (id, run_id, lease_id, session_id, key_hash, made_at)
SELECT $1, r.id, r.lease_id, r.session_id, $2, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) FROM runs r
WHERE r.id = $3 AND r.lease_id = $4 AND r.session_id = $5;

-- ending/callbacks.py _IS_OPEN
SELECT 1 FROM callbacks WHERE id = $1;

-- ending/callbacks.py _FIND
SELECT c.id, c.key_hash, c.session_id, c.run_id, c.lease_id, c.made_at, r.cancel_at, j.namespace, j.name,
       CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AS now
FROM callbacks c JOIN runs r ON r.id = c.run_id JOIN jobs j ON j.id = r.job_id WHERE c.id = $1;

-- ending/callbacks.py _PROGRESS
UPDATE callbacks SET progress = $1, told_at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), said_at = coalesce($2, said_at)
WHERE id = $3 AND (said_at IS NULL OR $4 = 0 OR said_at < $2)
  AND EXISTS (SELECT 1 FROM runs r WHERE r.id = callbacks.run_id AND r.lease_id = callbacks.lease_id);

-- ending/callbacks.py _HOLDS
SELECT 1 FROM runs WHERE id = $1 AND lease_id = $2;

-- ending/callbacks.py _ENDED
UPDATE callbacks SET end_hash = $1, ended_at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) WHERE id = $2;

-- ending/callbacks.py _HOW
SELECT end_hash FROM callbacks WHERE id = $1;

-- ending/cancellation.py OPEN_CHILDREN
SELECT r.id FROM runs r WHERE r.parent_id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id)) AND r.state IN ('PENDING', 'RUNNING');

-- ending/cancellation.py ASK
UPDATE runs SET cancel_at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), error = $1, ver = runs.ver + 1 FROM unnest($2::text::bigint[]) AS d(id)
WHERE runs.id = d.id AND runs.state = 'RUNNING' AND runs.cancel_at IS NULL;

-- ending/cancellation.py FORCE
UPDATE runs SET cancel_at = coalesce(runs.cancel_at, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint)), error = $1, ver = runs.ver + 1,
       deadline_at = CASE WHEN runs.deadline_at < CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) THEN runs.deadline_at ELSE CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) END
FROM unnest($2::text::bigint[]) AS d(id)
WHERE runs.id = d.id AND runs.state = 'RUNNING';

-- ending/cancellation.py NOTE
UPDATE runs SET cancelled_by = $1, cancel_reason = $2, ver = runs.ver + 1 FROM unnest($3::text::bigint[]) AS d(id)
WHERE runs.id = d.id AND runs.state IN ('PENDING', 'RUNNING');

-- ending/ends.py END
UPDATE runs SET state = d.state, kind = d.kind, ver = runs.ver + 1, lease_id = NULL,
       last_lease_id = CASE WHEN d.reported = 1 THEN runs.lease_id ELSE runs.last_lease_id END,
       ended_at = $1, started_at = coalesce(runs.started_at, d.started_at), deadline_at = NULL,
       result = d.result, error_type = d.error_type, checkpoint = coalesce(d.checkpoint, runs.checkpoint),
       deaths = runs.deaths + d.deaths,
       error = coalesce(d.error, CASE WHEN d.state = 'CANCELLED' THEN runs.error END)
FROM unnest($2::text::bigint[], $3::text::text[], $4::text::bigint[], $5::text::text[], $6::text::text[], $7::text::bigint[], $8::text::text[], $9::text::text[], $10::text::text[], $11::text::text[], $12::text::bigint[]) AS d(id, lease_id, reported, state, kind, started_at, result, error, error_type, checkpoint, deaths)
WHERE runs.id = d.id AND runs.lease_id = d.lease_id;

-- ending/ends.py END_WAITING
UPDATE runs SET state = d.state, kind = d.kind, ver = runs.ver + 1, parked = 0, assigned_to = NULL,
       ended_at = $1, error = d.error
FROM unnest($2::text::bigint[], $3::text::bigint[], $4::text::text[], $5::text::text[], $6::text::text[]) AS d(id, ver, state, kind, error)
WHERE runs.id = d.id AND runs.ver = d.ver;

-- ending/ends.py BACK
UPDATE runs SET state = 'PENDING', ver = runs.ver + 1, lease_id = NULL,
       last_lease_id = CASE WHEN d.reported = 1 THEN runs.lease_id ELSE runs.last_lease_id END,
       assigned_to = CASE WHEN (runs.follow & 256) <> 0 THEN runs.session_id END,
       session_id = CASE WHEN (runs.follow & 256) <> 0 THEN runs.session_id END, parked = CASE WHEN (runs.follow & 256) <> 0 THEN 2 ELSE 0 END,
       follow = runs.follow & 25087, request_no = NULL, leased_at = NULL, started_at = NULL, deadline_at = NULL,
       assigned_until = NULL, assigned_before = NULL, not_before = d.not_before,
       failures = runs.failures + d.failures, deaths = runs.deaths + d.deaths,
       checkpoint = coalesce(d.checkpoint, runs.checkpoint)
FROM unnest($1::text::bigint[], $2::text::text[], $3::text::bigint[], $4::text::bigint[], $5::text::bigint[], $6::text::bigint[], $7::text::text[]) AS d(id, lease_id, reported, not_before, failures, deaths, checkpoint)
WHERE runs.id = d.id AND runs.lease_id = d.lease_id AND runs.cancel_at IS NULL;

-- ending/ends.py INSERT_ATTEMPTS
INSERT INTO attempts (run_id, attempt, job_id, cause, lease_id, session_id, fence, leased_at, started_at,
                          ended_at, error, error_type, retried)
SELECT d.run_id, d.attempt, d.job_id, d.cause, d.lease_id, d.session_id, d.fence, d.leased_at, d.started_at,
       $1, d.error, d.error_type, d.retried
FROM unnest($2::text::bigint[], $3::text::bigint[], $4::text::bigint[], $5::text::text[], $6::text::text[], $7::text::text[], $8::text::bigint[], $9::text::bigint[], $10::text::bigint[], $11::text::text[], $12::text::text[], $13::text::bigint[]) AS d(run_id, attempt, job_id, cause, lease_id, session_id, fence, leased_at, started_at, error, error_type, retried) WHERE true
ON CONFLICT DO NOTHING;

-- ending/ends.py RETRIES
SELECT d.job_id, (SELECT count(*) FROM attempts a WHERE a.job_id = d.job_id AND a.ended_at > $1
                                                    AND a.retried = 1)
FROM unnest($2::text::bigint[]) AS d(job_id);

-- ending/failure_signs.py LEAVE
INSERT INTO failure_signs (run_id, job_id, at) SELECT d.run_id, d.job_id, $1 FROM unnest($2::text::bigint[], $3::text::bigint[]) AS d(run_id, job_id) WHERE true
ON CONFLICT DO NOTHING;

-- ending/fixed_delay.py SET_NEXT
UPDATE cursors SET state = d.state, next_at = d.next_at, next_due_at = d.next_due_at,
       cursor_ver = cursor_ver + 1
FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::text[], $4::text::bigint[], $5::text::bigint[]) AS d(job_id, version, state, next_at, next_due_at)
WHERE cursors.job_id = d.job_id AND coalesce(cursors.next_at, -1) = -1 AND cursors.version = d.version
      AND cursors.state = 'active';

-- ending/fixed_delay.py WAIT_FOR
UPDATE runs SET follow = follow | 1, ver = ver + 1
WHERE job_id = $1 AND state IN ('PENDING', 'RUNNING') AND shard = -1 AND place IS NOT NULL
      AND parent_id IS NULL AND fire_key >= 's:' AND fire_key < 's;' AND triggered_by IS NULL
      AND (follow & 1) = 0;

-- ending/lease_owner.py OWNERS
SELECT n.id, n.owner FROM unnest($1::text::text[]) AS d(id) JOIN nodes n ON n.id = d.id;

-- ending/lease_owner.py LEASES
SELECT r.lease_id, r.last_lease_id, r.session_id FROM runs r WHERE r.id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id));

-- ending/locked_runs.py SEE
SELECT
    r.id, r.job_id, r.version, r.parent_id, r.lane, r.follow, r.state, r.ver, r.attempt, r.failures,
    r.deaths, r.open_children, r.cancel_at, r.lease_id, r.last_lease_id, r.session_id, r.fence, r.leased_at,
    r.started_at,
    CASE WHEN r.cancel_at IS NOT NULL OR (
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.job_id = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
) THEN 1 ELSE 0 END,
    CASE WHEN
    (r.follow & 8) > 0 AND (
      SELECT 1 FROM runs p
      WHERE p.job_id = r.job_id AND p.state = 'PENDING' AND p.parked = 1 AND p.place IS NOT NULL
      LIMIT 1) = 1
 THEN 1 ELSE 0 END,
    CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint)
 FROM runs r WHERE r.id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id));

-- ending/locked_runs.py LOCK
SELECT
    r.id, r.job_id, r.version, r.parent_id, r.lane, r.follow, r.state, r.ver, r.attempt, r.failures,
    r.deaths, r.open_children, r.cancel_at, r.lease_id, r.last_lease_id, r.session_id, r.fence, r.leased_at,
    r.started_at,
    CASE WHEN r.cancel_at IS NOT NULL OR (
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.job_id = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
) THEN 1 ELSE 0 END,
    CASE WHEN
    (r.follow & 8) > 0 AND (
      SELECT 1 FROM runs p
      WHERE p.job_id = r.job_id AND p.state = 'PENDING' AND p.parked = 1 AND p.place IS NOT NULL
      LIMIT 1) = 1
 THEN 1 ELSE 0 END,
    CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint)
 FROM runs r WHERE r.id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id)) ORDER BY r.id FOR UPDATE;

-- ending/locked_runs.py LOCK_CURSORS
SELECT c.job_id, c.version FROM cursors c WHERE c.job_id IN (SELECT d.job_id FROM unnest($1::text::bigint[]) AS d(job_id))
ORDER BY c.job_id FOR UPDATE;

-- ending/logs.py WRITTEN
SELECT d.run_id, r.lease_id, r.attempt, r.session_id,
       (SELECT coalesce(max(l.at_offset + l.size), 0) FROM run_logs l
        WHERE l.run_id = d.run_id AND l.attempt = r.attempt) AS log_end,
       (SELECT coalesce(sum(l.size), 0) FROM run_logs l WHERE l.run_id = d.run_id) AS log_size
FROM unnest($1::text::bigint[]) AS d(run_id) JOIN runs r ON r.id = d.run_id
WHERE r.lease_id IS NOT NULL;

-- ending/logs.py WRITE
INSERT INTO run_logs (run_id, attempt, at_offset, size, written_at, body, parent_id)
SELECT r.id, r.attempt, d.at_offset, d.size, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), substr(CAST($1 AS bytea),
              CAST(d.body_at AS INTEGER), CAST(d.body_size AS INTEGER)), r.parent_id
FROM unnest($2::text::bigint[], $3::text::text[], $4::text::bigint[], $5::text::bigint[], $6::text::bigint[], $7::text::bigint[]) AS d(run_id, lease_id, at_offset, size, body_at, body_size) JOIN runs r ON r.id = d.run_id AND r.lease_id = d.lease_id
WHERE true
ON CONFLICT DO NOTHING;

-- ending/logs.py READ
SELECT l.run_id, l.attempt, l.at_offset, l.size, l.body FROM run_logs l
WHERE l.run_id = $1 AND l.attempt >= $2 AND l.attempt <= $3
      AND (l.attempt > $2 OR l.at_offset + l.size > $4)
ORDER BY l.attempt, l.at_offset LIMIT $5;

-- ending/logs.py END
SELECT coalesce(max(l.at_offset + l.size), 0) FROM run_logs l
WHERE l.run_id = $1 AND l.attempt = $2;

-- ending/lost_shards.py NAMES
SELECT n.id, n.name FROM nodes n WHERE n.id IN (SELECT d.id FROM unnest($1::text::text[]) AS d(id));

-- ending/parents.py TALLY
SELECT r.parent_id, r.state, r.kind, count(*) AS runs FROM runs r WHERE r.parent_id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id))
GROUP BY r.parent_id, r.state, r.kind;

-- ending/parents.py COUNT_DOWN
UPDATE runs SET open_children = d.open_children, state = d.state, kind = d.kind, ended_at = d.ended_at,
       result = d.result, ver = runs.ver + 1,
       error = CASE WHEN d.state IN ('RUNNING', 'CANCELLED') THEN coalesce(d.error, runs.error) ELSE d.error END
FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::bigint[], $4::text::text[], $5::text::text[], $6::text::bigint[], $7::text::text[], $8::text::text[]) AS d(id, ver, open_children, state, kind, ended_at, result, error)
WHERE runs.id = d.id AND runs.ver = d.ver;

-- ending/parents.py INSERT_MERGE
INSERT INTO runs (job_id, version, fire_key, shard, parent_id, due_at, not_before, lane, class, priority,
                      serial, place, parked, follow, state, ver, created_at, triggered_by, reason, params)
SELECT p.job_id, p.version, d.fire_key, -1, p.id, p.due_at, $1, d.lane, p.class, p.priority,
       p.serial, p.place, 0, d.follow, 'PENDING', 1, $1, p.triggered_by, p.reason, p.params
FROM unnest($2::text::bigint[], $3::text::text[], $4::text::bigint[], $5::text::bigint[]) AS d(id, fire_key, lane, follow) JOIN runs p ON p.id = d.id WHERE true
ON CONFLICT DO NOTHING;

-- ending/retention.py WALK
SELECT r.id, r.created_at,
       CASE WHEN r.ended_at < $1 AND r.state NOT IN ('PENDING', 'RUNNING')
                 AND NOT EXISTS (SELECT 1 FROM runs p WHERE p.id = r.parent_id
                                 AND (p.ended_at IS NULL OR p.ended_at >= $1))
            THEN 1 ELSE 0 END
FROM runs r WHERE r.id > $2 ORDER BY r.id LIMIT $3;

-- ending/retention.py DELETE_RUNS
DELETE FROM runs WHERE id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id)) AND ended_at IS NOT NULL;

-- ending/retention.py DELETE_ATTEMPTS
DELETE FROM attempts WHERE run_id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id));

-- ending/retention.py DELETE_LOGS
DELETE FROM run_logs WHERE run_id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id));

-- ending/retention.py DELETE_CALLBACKS
DELETE FROM callbacks WHERE run_id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id));

-- ending/retention.py WALK_SKIPS
SELECT id, to_at FROM skips WHERE id > $1 ORDER BY id LIMIT $2;

-- ending/retention.py DELETE_SKIPS
DELETE FROM skips WHERE id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id)) AND to_at < $2;

-- ending/retention.py LONG_DEAD
SELECT n.id FROM nodes n
WHERE n.state = 'dead' AND n.until < CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - $1 AND (n.ended_at IS NULL OR n.ended_at < CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - $1)
  AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.session_id = n.id AND r.state = 'RUNNING')
ORDER BY n.id LIMIT $2;

-- ending/retention.py DELETE_NODES
DELETE FROM nodes WHERE id IN (SELECT d.id FROM unnest($1::text::text[]) AS d(id));

-- ending/retention.py OLD_WINDOWS
SELECT 0 AS is_key, w.job_id, w.window_key AS name FROM
  (SELECT job_id, window_key FROM trigger_windows WHERE until < CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - $1 ORDER BY until LIMIT $2) AS w
UNION ALL
SELECT 1, k.job_id, k.fire_key FROM
  (SELECT job_id, fire_key FROM trigger_keys WHERE until < CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) ORDER BY until LIMIT $2) AS k;

-- ending/retention.py DELETE_WINDOWS
DELETE FROM trigger_windows WHERE (job_id, window_key) IN (SELECT d.job_id, d.window_key FROM unnest($1::text::bigint[], $2::text::text[]) AS d(job_id, window_key)) AND until + 0 < CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - $3;

-- ending/retention.py DELETE_KEYS
DELETE FROM trigger_keys WHERE (job_id, fire_key) IN (SELECT d.job_id, d.fire_key FROM unnest($1::text::bigint[], $2::text::text[]) AS d(job_id, fire_key)) AND until + 0 < CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint);

-- ending/success.py GLANCE
   SELECT r.id, r.lease_id, r.last_lease_id, r.started_at, r.leased_at, r.follow, r.job_id,
          CASE WHEN
   (r.follow & 8) > 0 AND (
     SELECT 1 FROM runs p
     WHERE p.job_id = r.job_id AND p.state = 'PENDING' AND p.parked = 1 AND p.place IS NOT NULL
     LIMIT 1) = 1
THEN 1 ELSE 0 END, r.session_id, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint)
   FROM runs r WHERE r.id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id));

-- ending/success.py SUCCEED_AT_ONCE
   UPDATE runs SET state = 'SUCCEEDED', ver = runs.ver + 1, lease_id = NULL, last_lease_id = runs.lease_id,
          ended_at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint),
          started_at = coalesce(runs.started_at, CASE WHEN CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - d.started_us_ago > runs.leased_at
                                                   THEN CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - d.started_us_ago
                                                   WHEN d.started_us_ago IS NOT NULL THEN runs.leased_at END),
          deadline_at = NULL, result = d.result, error = NULL
   FROM unnest($1::text::bigint[], $2::text::text[], $3::text::bigint[], $4::text::text[]) AS d(id, lease_id, started_us_ago, result)
   WHERE runs.id = d.id AND runs.lease_id = d.lease_id AND coalesce(runs.session_id, '') = $5
         AND (runs.follow & 7703) = 0
   RETURNING runs.id, runs.last_lease_id, CASE WHEN
   (runs.follow & 8) > 0 AND (
     SELECT 1 FROM runs p
     WHERE p.job_id = runs.job_id AND p.state = 'PENDING' AND p.parked = 1 AND p.place IS NOT NULL
     LIMIT 1) = 1
THEN runs.job_id END;

-- ending/success.py SUCCEED
UPDATE runs SET state = 'SUCCEEDED', ver = runs.ver + 1, lease_id = NULL, last_lease_id = runs.lease_id,
       ended_at = $1, started_at = coalesce(runs.started_at, d.started_at), deadline_at = NULL,
       result = d.result, error = NULL
FROM unnest($2::text::bigint[], $3::text::text[], $4::text::bigint[], $5::text::text[]) AS d(id, lease_id, started_at, result)
WHERE runs.id = d.id AND runs.lease_id = d.lease_id;

-- firing/assigned_fires.py STEP
UPDATE cursors SET next_at = d.next_at, next_due_at = d.next_due_at, route_state = d.state,
       cursor_ver = cursor_ver + 1
FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::bigint[], $4::text::bigint[], $5::text::text[]) AS d(job_id, seen, next_at, next_due_at, state)
WHERE cursors.job_id = d.job_id AND cursors.cursor_ver = d.seen;

-- firing/assigned_fires.py INSERT
INSERT INTO runs (job_id, version, fire_key, shard, due_at, not_before, lane, class, priority, serial, place,
                      parked, assigned_to, assigned_until, assigned_rank, follow, state, ver, created_at)
SELECT d.job_id, d.version, d.fire_key, -1, d.due_at, d.not_before, d.shape >> 16, 0, (d.shape >> 12) & 15,
       (d.shape >> 2) & 3, d.place, 2, d.session,
       CASE WHEN d.session <> '*' THEN CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) + 30000000 END,
       d.not_before - ((d.shape >> 12) & 15) * 60000000, (d.shape >> 4) & 255, 'PENDING', 1, $1
FROM unnest($2::text::bigint[], $3::text::bigint[], $4::text::text[], $5::text::bigint[], $6::text::bigint[], $7::text::bigint[], $8::text::bigint[], $9::text::text[]) AS d(job_id, version, fire_key, due_at, not_before, place, shape, session) WHERE true
ON CONFLICT DO NOTHING;

-- firing/backfills.py ADD
INSERT INTO backfills (job_id, version, from_at, to_at, selection, parallel, newest_first, state, ver, instants,
                           total, inserted, succeeded, failed, live, params, created_at, created_by, reason,
                           request_key)
VALUES ($1, $2, $3, $4, $5, $6, $7, 'active', 1, $8,
        $9, 0, 0, 0, '[]', $10, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), $11, $12, $13)
ON CONFLICT DO NOTHING
RETURNING id;

-- firing/backfills.py ASKED
SELECT
    b.id, b.job_id, j.namespace, j.name, j.deleted_at, b.version, b.from_at, b.to_at, b.selection, b.parallel,
    b.newest_first, b.state, b.ver, b.instants, b.total, b.inserted, b.succeeded, b.failed, b.live, b.params,
    b.created_at, b.created_by, b.reason, b.ended_at FROM backfills b JOIN jobs j ON j.id = b.job_id WHERE b.request_key = $1;

-- firing/backfills.py ONE
SELECT
    b.id, b.job_id, j.namespace, j.name, j.deleted_at, b.version, b.from_at, b.to_at, b.selection, b.parallel,
    b.newest_first, b.state, b.ver, b.instants, b.total, b.inserted, b.succeeded, b.failed, b.live, b.params,
    b.created_at, b.created_by, b.reason, b.ended_at FROM backfills b JOIN jobs j ON j.id = b.job_id WHERE b.id = $1;

-- firing/backfills.py PAGE
SELECT
    b.id, b.job_id, j.namespace, j.name, j.deleted_at, b.version, b.from_at, b.to_at, b.selection, b.parallel,
    b.newest_first, b.state, b.ver, b.instants, b.total, b.inserted, b.succeeded, b.failed, b.live, b.params,
    b.created_at, b.created_by, b.reason, b.ended_at FROM backfills b JOIN jobs j ON j.id = b.job_id WHERE b.id < $1 AND ($2 = 1 OR j.namespace = $3) ORDER BY b.id DESC LIMIT $4;

-- firing/backfills.py PAGE_OF_JOB
SELECT
    b.id, b.job_id, j.namespace, j.name, j.deleted_at, b.version, b.from_at, b.to_at, b.selection, b.parallel,
    b.newest_first, b.state, b.ver, b.instants, b.total, b.inserted, b.succeeded, b.failed, b.live, b.params,
    b.created_at, b.created_by, b.reason, b.ended_at FROM backfills b JOIN jobs j ON j.id = b.job_id WHERE b.job_id = $1 AND b.id < $2 ORDER BY b.id DESC LIMIT $3;

-- firing/backfills.py TO_GO_ON
SELECT
    b.id, b.job_id, j.namespace, j.name, j.deleted_at, b.version, b.from_at, b.to_at, b.selection, b.parallel,
    b.newest_first, b.state, b.ver, b.instants, b.total, b.inserted, b.succeeded, b.failed, b.live, b.params,
    b.created_at, b.created_by, b.reason, b.ended_at FROM backfills b JOIN jobs j ON j.id = b.job_id WHERE b.id = $1 AND b.state = 'active' AND (EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = $2) OR $2 IS NULL) AND (SELECT m.maintenance_until FROM store_meta m WHERE m.id = 1) <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint);

-- firing/backfills.py ACTIVE
SELECT id FROM backfills WHERE state = 'active' AND id > $1 ORDER BY id LIMIT $2;

-- firing/backfills.py SET_STATE
UPDATE backfills SET state = $1, ver = ver + 1, ended_at = $2 WHERE id = $3 AND state IN ('active', 'paused');

-- firing/backfills.py WENT_ON
UPDATE backfills SET inserted = $1, succeeded = $2, failed = $3, live = $4, state = $5, ended_at = $6, ver = ver + 1 WHERE id = $7 AND ver = $8 AND (EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = $9) OR $9 IS NULL);

-- firing/backfills.py STATES
SELECT runs.id, runs.state FROM unnest($1::text::bigint[]) AS d(id) JOIN runs ON runs.id = d.id;

-- firing/backfills.py BY_KEY
SELECT runs.id, runs.fire_key, runs.triggered_by FROM unnest($1::text::bigint[], $2::text::text[]) AS d(job_id, fire_key) JOIN runs ON runs.job_id = d.job_id AND runs.fire_key = d.fire_key AND runs.shard = -1;

-- firing/backfills.py SCHEDULED
SELECT due_at, state, id, fire_key FROM runs WHERE job_id = $1 AND fire_key > $2 AND fire_key < $3 AND shard = -1 AND due_at >= $4 AND due_at < $5 ORDER BY fire_key LIMIT 5000;

-- firing/backfills.py BACKFILLED
SELECT due_at, state, id FROM runs WHERE job_id = $1 AND fire_key >= 'b:' AND fire_key < 'b;' AND shard = -1 AND due_at >= $2 AND due_at < $3 ORDER BY id DESC LIMIT 100000;

-- firing/line.py BUMP
UPDATE cursors SET cursor_ver = cursor_ver + d.bump FROM unnest($1::text::bigint[], $2::text::bigint[]) AS d(job_id, bump) WHERE cursors.job_id = d.job_id;

-- firing/line.py LOCK
SELECT cursors.job_id, cursors.cursor_ver, cursors.version FROM cursors
WHERE cursors.job_id IN (SELECT d.job_id FROM unnest($1::text::bigint[]) AS d(job_id)) ORDER BY cursors.job_id FOR UPDATE;

-- firing/line.py PLACES
SELECT cursors.job_id, cursors.cursor_ver, cursors.version, jobs.deleted_at FROM unnest($1::text::bigint[]) AS d(job_id)
JOIN cursors ON cursors.job_id = d.job_id JOIN jobs ON jobs.id = d.job_id;

-- firing/line.py PLACES_AND_QUEUE
SELECT cursors.job_id, cursors.cursor_ver, cursors.version, jobs.deleted_at, (
  SELECT 1 FROM runs r
  WHERE r.job_id = d.job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place IS NOT NULL
        AND r.state = 'PENDING' AND r.class <> 1
  ORDER BY r.place DESC, r.id DESC LIMIT 1 OFFSET 99)
FROM unnest($1::text::bigint[]) AS d(job_id)
JOIN cursors ON cursors.job_id = d.job_id JOIN jobs ON jobs.id = d.job_id;

-- firing/line.py SITUATION
SELECT d.job_id, (
  SELECT coalesce(sum(q.is_open), 0) + 32768 * coalesce(sum(q.is_open * q.waiting), 0) + 1073741824 * coalesce(sum(q.late), 0) + 35184372088832 * coalesce(sum(q.is_open * q.scheduled), 0)
  FROM (
    SELECT CASE WHEN NOT ((r.fire_key >= 'b:' AND r.fire_key < 'b;') OR (r.fire_key >= 't:' AND r.fire_key < 't;') OR (r.fire_key >= 's:' AND r.fire_key < 's;' AND r.triggered_by IS NOT NULL)) THEN 1 ELSE 0 END AS is_open,
           CASE WHEN r.state = 'PENDING' AND r.attempt = 0 THEN 1
                WHEN r.open_children > 0 AND row_number() OVER (ORDER BY r.place, r.id) > 1 THEN 1
                ELSE 0 END AS waiting,
           CASE WHEN r.state = 'PENDING' AND r.attempt = 0 AND r.class = 1 THEN 1 ELSE 0 END AS late,
           CASE WHEN r.fire_key >= 's:' AND r.fire_key < 's;' THEN 1 ELSE 0 END AS scheduled
    FROM runs r
    WHERE r.job_id = d.job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1
          AND r.place IS NOT NULL AND r.parent_id IS NULL
    ORDER BY r.place, r.id LIMIT $1
  ) q
) AS counts
FROM unnest($2::text::bigint[]) AS d(job_id)
WHERE EXISTS (SELECT 1 FROM runs r WHERE r.job_id = d.job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1);

-- firing/line.py NEWEST_FIRES
SELECT d.job_id, (SELECT r.state FROM runs r
                  WHERE r.job_id = d.job_id AND r.fire_key >= 's:' AND r.fire_key < 's;' AND r.shard = -1 AND r.triggered_by IS NULL
                  ORDER BY r.fire_key DESC LIMIT 1)
FROM unnest($1::text::bigint[]) AS d(job_id);

-- firing/line_heads.py HEADS
SELECT h.id, h.state FROM runs h WHERE h.id IN (
  SELECT (SELECT r.id FROM runs r
          WHERE r.job_id = d.job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place IS NOT NULL
          ORDER BY r.place, r.id LIMIT 1)
  FROM unnest($1::text::bigint[]) AS d(job_id));

-- firing/line_heads.py PARKED
SELECT r.id, r.ver FROM runs r
WHERE r.id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id)) AND r.state = 'PENDING' AND r.parked = 1 AND r.place IS NOT NULL
ORDER BY r.id FOR UPDATE SKIP LOCKED;

-- firing/line_heads.py PARKED_SHARDS
SELECT r.id, r.ver FROM runs r
WHERE r.parent_id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id)) AND r.state = 'PENDING' AND r.parked = 1
ORDER BY r.id FOR UPDATE SKIP LOCKED;

-- firing/line_heads.py UNPARK
UPDATE runs SET parked = CASE WHEN (runs.follow & 256) <> 0 THEN 2 ELSE 0 END, ver = runs.ver + 1,
       assigned_to = CASE WHEN (runs.follow & 256) <> 0 THEN runs.session_id ELSE runs.assigned_to END,
       not_before = CASE WHEN runs.not_before < CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) THEN CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) ELSE runs.not_before END
FROM unnest($1::text::bigint[], $2::text::bigint[]) AS d(id, ver)
WHERE runs.id = d.id AND runs.ver = d.ver;

-- firing/new_runs.py INSERT_RUNS
INSERT INTO runs (job_id, version, fire_key, shard, due_at, not_before, lane, class, priority, serial, place,
                      parked, follow, state, ver, created_at)
SELECT d.job_id, d.version, d.fire_key, -1, d.due_at, d.not_before, d.shape >> 16, d.shape & 1,
       (d.shape >> 12) & 15, (d.shape >> 2) & 3, d.place, (d.shape >> 1) & 1, (d.shape >> 4) & 255, 'PENDING', 1, $1
FROM unnest($2::text::bigint[], $3::text::bigint[], $4::text::text[], $5::text::bigint[], $6::text::bigint[], $7::text::bigint[], $8::text::bigint[]) AS d(job_id, version, fire_key, due_at, not_before, place, shape) WHERE true
ON CONFLICT DO NOTHING;

-- firing/new_runs.py INSERT_OTHER_RUNS
INSERT INTO runs (job_id, version, fire_key, shard, due_at, not_before, lane, class, priority, serial, place,
                      parked, follow, state, kind, ver, open_children, created_at, ended_at, error, triggered_by,
                      reason, params)
SELECT d.job_id, d.version, d.fire_key, -1, d.due_at, d.not_before, d.lane, d.class, d.priority, d.serial, d.place,
       d.parked, d.follow, d.state, d.kind, 1, d.open_children, $1, d.ended_at, d.error, d.triggered_by,
       d.reason, d.params
FROM unnest($2::text::bigint[], $3::text::bigint[], $4::text::text[], $5::text::bigint[], $6::text::bigint[], $7::text::bigint[], $8::text::bigint[], $9::text::bigint[], $10::text::bigint[], $11::text::bigint[], $12::text::bigint[], $13::text::bigint[], $14::text::text[], $15::text::text[], $16::text::bigint[], $17::text::bigint[], $18::text::text[], $19::text::text[], $20::text::text[], $21::text::text[]) AS d(job_id, version, fire_key, due_at, not_before, lane, class, priority, serial, place, parked, follow, state, kind, open_children, ended_at, error, triggered_by, reason, params) WHERE true
ON CONFLICT DO NOTHING;

-- firing/new_runs.py INSERT_CHILDREN
INSERT INTO runs (job_id, version, fire_key, shard, parent_id, due_at, not_before, lane, class, priority,
                      serial, place, parked, follow, state, ver, created_at, triggered_by, reason, params)
SELECT p.job_id, p.version, p.fire_key, d.shard, p.id, p.due_at, p.not_before, p.lane,
       CASE WHEN d.is_surplus = 1 AND p.class = 0 AND p.serial = 0 AND (p.follow & 128) = 0
            THEN 2 ELSE p.class END,
       p.priority, p.serial, p.place, p.parked, d.follow | (p.follow & 224), 'PENDING', 1, $1,
       p.triggered_by, p.reason, p.params
FROM unnest($2::text::bigint[], $3::text::text[], $4::text::bigint[], $5::text::bigint[], $6::text::bigint[], $7::text::bigint[]) AS d(job_id, fire_key, place, shard, follow, is_surplus)
JOIN runs p ON p.job_id = d.job_id AND p.fire_key = d.fire_key AND p.shard = -1
WHERE p.place = d.place AND p.state = 'RUNNING'
ON CONFLICT DO NOTHING;

-- firing/new_runs.py INSERT_OWN
INSERT INTO runs (job_id, version, fire_key, shard, parent_id, due_at, not_before, lane, class, priority,
                      serial, place, parked, assigned_to, session_id, assigned_rank, follow, state, ver, created_at,
                      triggered_by, reason, params)
SELECT p.job_id, p.version, p.fire_key, d.shard, p.id, p.due_at, p.not_before, p.lane, p.class, p.priority,
       p.serial, p.place, CASE WHEN p.parked = 0 THEN 2 ELSE p.parked END,
       CASE WHEN p.parked = 0 THEN d.session END, d.session, p.not_before - p.priority * 60000000 + CASE WHEN p.class = 0 THEN 0 ELSE 1152921504606846976 END,
       d.follow | (p.follow & 224), 'PENDING', 1, $1, p.triggered_by, p.reason, p.params
FROM unnest($2::text::bigint[], $3::text::text[], $4::text::bigint[], $5::text::bigint[], $6::text::text[], $7::text::bigint[]) AS d(job_id, fire_key, place, shard, session, follow)
JOIN runs p ON p.job_id = d.job_id AND p.fire_key = d.fire_key AND p.shard = -1
WHERE p.place = d.place AND p.state = 'RUNNING'
ON CONFLICT DO NOTHING;

-- firing/new_runs.py INSERT_KEPT
INSERT INTO runs (job_id, version, fire_key, shard, parent_id, due_at, not_before, lane, class, priority,
                      serial, place, parked, follow, state, ver, created_at, ended_at, triggered_by, reason, params,
                      result)
SELECT p.job_id, p.version, p.fire_key, o.shard, p.id, p.due_at, p.not_before, p.lane, p.class, p.priority,
       p.serial, p.place, 0, 4 | (p.follow & 224), 'SUCCEEDED', 1, $1, $1,
       p.triggered_by, d.reason, p.params, o.result
FROM unnest($2::text::bigint[], $3::text::text[], $4::text::bigint[], $5::text::bigint[], $6::text::text[]) AS d(job_id, fire_key, place, kept_of, reason)
JOIN runs p ON p.job_id = d.job_id AND p.fire_key = d.fire_key AND p.shard = -1
JOIN runs o ON o.parent_id = d.kept_of AND o.shard >= 0 AND o.state = 'SUCCEEDED'
WHERE p.place = d.place AND p.state = 'RUNNING'
ON CONFLICT DO NOTHING;

-- firing/own_shards.py SHARDS
SELECT r.shard, r.state, r.session_id, n.name FROM runs r LEFT JOIN nodes n ON n.id = r.session_id
WHERE r.parent_id = $1 AND r.shard >= 0 ORDER BY r.shard;

-- firing/own_shards.py NAMED
SELECT n.id, n.name, n.group_name, n.namespace, n.labels, n.handlers FROM nodes n
WHERE n.state = 'live' AND n.kind <> 'server' AND n.name IN (SELECT d.name FROM unnest($1::text::text[]) AS d(name));

-- firing/queues.py QUEUED
    SELECT d.job_id, (
      SELECT count(*) FROM (
        SELECT 1 AS one FROM runs r
        WHERE r.job_id = d.job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.parent_id IS NULL
              AND NOT ((r.fire_key >= 'b:' AND r.fire_key < 'b;') OR (r.fire_key >= 't:' AND r.fire_key < 't;') OR (r.fire_key >= 's:' AND r.fire_key < 's;' AND r.triggered_by IS NOT NULL)) AND ((r.state = 'PENDING' AND r.attempt = 0) OR (r.open_children > 0 AND CASE WHEN r.serial = 0 THEN NOT EXISTS (SELECT 1 FROM runs c WHERE c.parent_id = r.id AND c.attempt > 0)
                                                                                 ELSE r.place > (
    SELECT h.place FROM runs h
    WHERE h.job_id = d.job_id AND h.state IN ('PENDING', 'RUNNING') AND h.shard = -1 AND h.place IS NOT NULL
    ORDER BY h.place, h.id LIMIT 1
) END))
        LIMIT $1
      ) q
    ) FROM unnest($2::text::bigint[]) AS d(job_id);

-- firing/record.py STEP
UPDATE cursors SET next_at = d.next_at, next_due_at = d.next_due_at, cursor_ver = cursor_ver + 1
FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::bigint[], $4::text::bigint[]) AS d(job_id, seen, next_at, next_due_at)
WHERE cursors.job_id = d.job_id AND cursors.cursor_ver = d.seen;

-- firing/record.py MOVE
UPDATE cursors SET version = d.version, state = d.state, next_at = d.next_at, next_due_at = d.next_due_at,
       cursor_ver = cursor_ver + d.bump, remaining = d.remaining, skip_from = d.skip_from,
       skip_reason = d.skip_reason, skip_why = d.skip_why, trouble = d.trouble
FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::bigint[], $4::text::bigint[], $5::text::text[], $6::text::bigint[], $7::text::bigint[], $8::text::bigint[], $9::text::bigint[], $10::text::text[], $11::text::text[], $12::text::text[]) AS d(job_id, seen, bump, version, state, next_at, next_due_at, remaining, skip_from, skip_reason, skip_why, trouble)
WHERE cursors.job_id = d.job_id AND cursors.cursor_ver = d.seen;

-- firing/record.py INSERT_SKIPS
INSERT INTO skips (job_id, fire_key, from_at, to_at, count, reason, why, cause, version, decided_at, held)
SELECT d.job_id, d.fire_key, d.from_at, d.to_at, d.count, d.reason, d.why, d.cause, d.version, $1, d.held
FROM unnest($2::text::bigint[], $3::text::text[], $4::text::bigint[], $5::text::bigint[], $6::text::bigint[], $7::text::text[], $8::text::text[], $9::text::text[], $10::text::bigint[], $11::text::bigint[]) AS d(job_id, fire_key, from_at, to_at, count, reason, why, cause, version, held) WHERE true
ON CONFLICT DO NOTHING;

-- firing/record.py EXTEND_SKIPS
UPDATE skips SET to_at = d.to_at, count = skips.count + d.count, decided_at = $1
FROM unnest($2::text::bigint[], $3::text::text[], $4::text::bigint[], $5::text::bigint[], $6::text::bigint[], $7::text::text[], $8::text::text[], $9::text::text[], $10::text::bigint[], $11::text::bigint[]) AS d(job_id, fire_key, from_at, to_at, count, reason, why, cause, version, held)
WHERE skips.job_id = d.job_id AND skips.fire_key = d.fire_key;

-- firing/record.py KNOWN_SKIPS
SELECT skips.job_id, skips.fire_key FROM unnest($1::text::bigint[], $2::text::text[]) AS d(job_id, fire_key)
JOIN skips ON skips.job_id = d.job_id AND skips.fire_key = d.fire_key;

-- firing/record.py RESUMED
UPDATE jobs SET pause_reason = NULL, paused_by = NULL, paused_at = NULL, updated_at = $1 FROM unnest($2::text::bigint[]) AS d(job_id) WHERE jobs.id = d.job_id;

-- firing/record.py NO_LONGER_HELD
UPDATE skips SET held = 0 FROM unnest($1::text::bigint[]) AS d(job_id) WHERE skips.job_id = d.job_id AND skips.held = 1;

-- firing/record.py WAITING_CATCH_UP
SELECT runs.id, runs.ver, runs.priority FROM unnest($1::text::bigint[]) AS d(job_id)
JOIN runs ON runs.job_id = d.job_id
WHERE runs.state IN ('PENDING', 'RUNNING') AND runs.shard = -1 AND runs.state = 'PENDING'
      AND runs.place IS NOT NULL AND runs.class = 1 AND runs.attempt = 0
ORDER BY runs.id LIMIT $2
FOR UPDATE SKIP LOCKED;

-- firing/record.py PROMOTE
UPDATE runs SET class = 0, not_before = $1, ver = runs.ver + 1,
       assigned_rank = CASE WHEN runs.parked = 2 THEN d.rank_ ELSE runs.assigned_rank END
FROM unnest($2::text::bigint[], $3::text::bigint[], $4::text::bigint[]) AS d(id, ver, rank_)
WHERE runs.id = d.id AND runs.ver = d.ver AND runs.state = 'PENDING';

-- firing/repair.py WITHOUT_NEXT
SELECT j.id FROM jobs j JOIN cursors c ON c.job_id = j.id
WHERE j.from_end = 1 AND j.id > $1 AND coalesce(c.next_at, -1) = -1 AND c.state = 'active'
ORDER BY j.from_end, j.id LIMIT $2;

-- firing/repair.py UNKNOWN
SELECT j.id FROM jobs j WHERE j.from_end IS NULL ORDER BY j.from_end, j.id LIMIT $1 FOR UPDATE SKIP LOCKED;

-- firing/repair.py LEARN
UPDATE jobs SET from_end = CASE WHEN EXISTS (
  SELECT 1 FROM job_versions v
  WHERE v.job_id = jobs.id AND v.version = jobs.version AND v.definition LIKE $1) THEN 1 ELSE 0 END
FROM unnest($2::text::bigint[]) AS d(job_id)
WHERE jobs.id = d.job_id;

-- firing/repair.py LOCK
SELECT c.job_id, c.version, c.state, c.next_at, c.next_due_at, c.cursor_ver, c.remaining, c.skip_from,
       c.skip_reason, c.skip_why
FROM cursors c WHERE c.job_id IN (SELECT d.job_id FROM unnest($1::text::bigint[]) AS d(job_id)) AND c.next_at IS NULL AND c.state = 'active'
  AND (EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = $2) OR $2 IS NULL)
ORDER BY c.job_id FOR UPDATE SKIP LOCKED;

-- firing/sweep.py DUE_LATER
   SELECT id, job_id, version FROM runs WHERE state = 'PENDING' AND place IS NULL AND not_before <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint)
ORDER BY not_before, id LIMIT $1;

-- firing/sweep.py DUE_LATER_OF_OTHERS
   SELECT id, job_id, version FROM runs WHERE state = 'PENDING' AND place IS NULL AND not_before <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint)
AND job_id NOT IN (SELECT d.job_id FROM unnest($1::text::bigint[]) AS d(job_id)) ORDER BY not_before, id LIMIT $2;

-- firing/sweep.py DUE_INDEED
   SELECT id, job_id, version FROM runs WHERE state = 'PENDING' AND place IS NULL AND not_before <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint)
AND job_id NOT IN (SELECT d.job_id FROM unnest($1::text::bigint[]) AS d(job_id)) AND (not_before <= $2 OR created_at > $3) ORDER BY not_before, id LIMIT $4;

-- firing/sweep.py FREE_CURSORS
SELECT cursors.job_id FROM cursors
WHERE cursors.job_id IN (SELECT d.job_id FROM unnest($1::text::bigint[]) AS d(job_id)) ORDER BY cursors.job_id FOR UPDATE SKIP LOCKED;

-- firing/sweep.py STILL_LATER
SELECT runs.id, runs.job_id, runs.version, runs.fire_key, runs.ver, runs.serial, runs.priority, runs.follow,
       runs.not_before
FROM runs
WHERE runs.id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id)) AND runs.state = 'PENDING' AND runs.place IS NULL
      AND runs.not_before <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint)
ORDER BY runs.id FOR UPDATE SKIP LOCKED;

-- firing/sweep.py ADMIT
UPDATE runs SET version = d.version, lane = d.lane, priority = d.priority, serial = d.serial, place = d.place,
       parked = d.parked, state = d.state, open_children = d.children, follow = d.follow, not_before = $1,
       ver = runs.ver + 1
FROM unnest($2::text::bigint[], $3::text::bigint[], $4::text::bigint[], $5::text::bigint[], $6::text::bigint[], $7::text::bigint[], $8::text::bigint[], $9::text::bigint[], $10::text::text[], $11::text::bigint[], $12::text::bigint[]) AS d(id, ver, version, lane, priority, serial, place, parked, state, children, follow)
WHERE runs.id = d.id AND runs.ver = d.ver AND runs.state = 'PENDING' AND runs.place IS NULL;

-- firing/sweep.py PARKED_JOBS
WITH RECURSIVE waiting (job_id, serial, n) AS (
  SELECT r.job_id, r.serial, 1 FROM runs r
  WHERE r.id = (SELECT x.id FROM runs x
                WHERE x.state = 'PENDING' AND x.parked = 1 AND x.place IS NOT NULL AND x.job_id > $1
                ORDER BY x.job_id, x.place, x.id LIMIT 1)
  UNION ALL
  SELECT r.job_id, r.serial, waiting.n + 1 FROM waiting
  JOIN runs r ON r.id = (SELECT x.id FROM runs x
                         WHERE x.state = 'PENDING' AND x.parked = 1 AND x.place IS NOT NULL
                               AND x.job_id > waiting.job_id
                         ORDER BY x.job_id, x.place, x.id LIMIT 1)
  WHERE waiting.n < $2
)
SELECT waiting.job_id, waiting.serial FROM waiting;

-- firing/sweep.py REPLACED_WAITING
SELECT r.id, r.ver FROM unnest($1::text::bigint[]) AS d(job_id)
JOIN runs r ON r.job_id = d.job_id
WHERE r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.state = 'PENDING' AND r.parent_id IS NULL
      AND
r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
  SELECT 1 FROM runs l WHERE l.job_id = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                         AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
UNION ALL
SELECT c.id, c.ver FROM unnest($1::text::bigint[]) AS d(job_id)
JOIN runs r ON r.job_id = d.job_id
JOIN runs c ON c.parent_id = r.id
WHERE r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.state = 'RUNNING' AND c.state = 'PENDING'
      AND
r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
  SELECT 1 FROM runs l WHERE l.job_id = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                         AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
LIMIT $2;

-- firing/triggers.py JOBS
SELECT d.n, jobs.id FROM unnest($1::text::bigint[], $2::text::text[], $3::text::text[]) AS d(n, namespace, name)
JOIN jobs ON jobs.namespace = d.namespace AND jobs.name = d.name AND jobs.deleted_at = 0;

-- firing/triggers.py BY_KEY
SELECT d.n, coalesce(r.id, o.id) AS id, coalesce(r.not_before, o.not_before) AS not_before, k.asked FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::text[]) AS d(n, job_id, fire_key)
LEFT JOIN runs r ON r.job_id = d.job_id AND r.fire_key = d.fire_key AND r.shard = -1
LEFT JOIN trigger_keys k ON k.job_id = d.job_id AND k.fire_key = d.fire_key AND (r.id IS NULL OR k.run_id = r.id)
LEFT JOIN runs o ON o.id = k.run_id
WHERE r.id IS NOT NULL OR o.id IS NOT NULL;

-- firing/triggers.py KEPT
SELECT r.parent_id, r.shard FROM unnest($1::text::bigint[]) AS d(id)
JOIN runs r ON r.parent_id = d.id AND r.shard >= 0 AND r.state = 'SUCCEEDED';

-- firing/windows.py FIND
SELECT w.run_id, w.opened_at, w.until, w.used, r.not_before FROM trigger_windows w JOIN runs r ON r.id = w.run_id
WHERE w.job_id = $1 AND w.window_key = $2;

-- firing/windows.py PUT_OFF
UPDATE runs SET params = $1, due_at = $2, not_before = $2, priority = coalesce($3, priority),
       triggered_by = $4, reason = $5, ver = ver + 1
WHERE id = $6 AND state = 'PENDING' AND attempt = 0 AND not_before > $7 AND cancel_at IS NULL;

-- firing/windows.py LONGER
UPDATE trigger_windows SET until = $1 WHERE job_id = $2 AND window_key = $3;

-- firing/windows.py AGAIN
UPDATE trigger_windows SET run_id = $1, opened_at = $2, until = $3, used = $4 WHERE job_id = $5 AND window_key = $6;

-- firing/windows.py OPEN
INSERT INTO trigger_windows (job_id, window_key, run_id, opened_at, until, used) VALUES ($1, $2, $3, $4, $5, $6);

-- firing/windows.py KEEP_KEY
INSERT INTO trigger_keys (job_id, fire_key, run_id, asked, until)
VALUES ($1, $2, $3, $4, $5)
 ON CONFLICT (job_id, fire_key) DO UPDATE SET run_id = $3, asked = $4, until = $5;

-- firing_store.py PULSE
WITH RECURSIVE ready (lane, class, priority, not_before) AS (
  SELECT r.lane, r.class, r.priority, r.not_before FROM runs r
  WHERE r.id = (SELECT x.id FROM runs x WHERE x.state = 'PENDING' AND x.parked = 0
                ORDER BY x.lane, x.class, x.priority, x.not_before, x.id LIMIT 1)
  UNION ALL
  SELECT r.lane, r.class, r.priority, r.not_before FROM ready
  JOIN runs r ON r.id = (SELECT x.id FROM runs x WHERE x.state = 'PENDING' AND x.parked = 0
                         AND (x.lane, x.class, x.priority) > (ready.lane, ready.class, ready.priority)
                         ORDER BY x.lane, x.class, x.priority, x.not_before, x.id LIMIT 1)
  WHERE ready.not_before > CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint)
)
SELECT CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint),
       (SELECT c.next_at FROM cursors c WHERE c.next_at >= $1 ORDER BY c.next_at, c.job_id LIMIT 1),
       CASE WHEN EXISTS (SELECT 1 FROM ready WHERE not_before <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint)) THEN 1 ELSE 0 END,
       (SELECT 1 FROM runs r WHERE r.state = 'PENDING' AND r.parked = 1 AND r.place IS NOT NULL
        ORDER BY r.job_id, r.place, r.id LIMIT 1),
       (SELECT 1 FROM runs r WHERE r.state = 'PENDING' AND r.place IS NULL AND r.not_before <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint)
        ORDER BY r.not_before, r.id LIMIT 1),
       m.epoch, m.clock_suspect, m.lane_seq, l.holder_session, l.term, l.until, m.clock_ahead_us,
       CASE WHEN m.clock_suspect = 1 THEN m.last_good_time END,
       (SELECT h.holder_session FROM leases h WHERE h.name = 'heir' AND h.until > CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint)),
       (SELECT 1 FROM failovers f WHERE f.ended_at IS NULL ORDER BY f.ended_at, f.id LIMIT 1),
       (SELECT 1 FROM nodes n WHERE n.state IN ('live', 'draining') AND n.until < CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) + $2 LIMIT 1),
       m.maintenance_until,
       (SELECT 1 FROM runs r WHERE r.state = 'PENDING' AND r.parked = 2 ORDER BY r.assigned_until, r.id LIMIT 1),
       (SELECT k.wake_at FROM limit_keys k WHERE k.wake_at > 0 ORDER BY k.wake_at LIMIT 1)
FROM store_meta m JOIN leases l ON l.name = 'leader'
WHERE m.id = 1;

-- firing_store.py TAKE
SELECT job_id, version, state, next_at, next_due_at, cursor_ver, remaining, skip_from, skip_reason, skip_why, trouble, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), (
  SELECT c.next_at FROM cursors c WHERE c.next_at > CASE WHEN $1 < CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) THEN $1 ELSE CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) END
  ORDER BY c.next_at, c.job_id LIMIT 1) AS later
FROM cursors WHERE next_at <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AND next_at >= $2 AND next_at <= $1 AND (SELECT m.maintenance_until FROM store_meta m WHERE m.id = 1) <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint)
ORDER BY next_at, job_id LIMIT $3 FOR UPDATE SKIP LOCKED;

-- firing_store.py TAKE_OVERDUE
WITH overdue AS MATERIALIZED (
  SELECT c.job_id FROM cursors c WHERE c.next_at <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - $1 AND c.next_at <= $2
  ORDER BY c.next_at, c.job_id LIMIT $3
)
SELECT job_id, version, state, next_at, next_due_at, cursor_ver, remaining, skip_from, skip_reason, skip_why, trouble, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), NULL AS later
FROM cursors WHERE job_id IN (SELECT o.job_id FROM overdue o) AND next_at + 0 <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AND next_at + 0 <= $2
  AND (SELECT m.maintenance_until FROM store_meta m WHERE m.id = 1) <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint)
ORDER BY job_id FOR UPDATE;

-- job_store.py KNOWN
SELECT j.id, j.version, v.hash, j.source, j.source_module
FROM jobs j JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
WHERE j.namespace = $1 AND j.name = $2 AND j.deleted_at = 0;

-- job_store.py LANE
SELECT l.document FROM job_versions v JOIN lanes l ON l.id = v.lane_id
WHERE v.job_id = $1 AND v.version = $2;

-- job_store.py DOCUMENT
SELECT definition FROM job_versions WHERE job_id = $1 AND version = $2;

-- job_store.py INSERT_JOB
INSERT INTO jobs (namespace, name, deleted_at, version, source, created_at, updated_at, from_end,
                      source_module, source_group)
SELECT $1, $2, 0, 1, $3, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), $4, $5, $6 WHERE true
ON CONFLICT DO NOTHING;

-- job_store.py JOB_ID
SELECT id FROM jobs WHERE namespace = $1 AND name = $2 AND deleted_at = 0 AND version = 1;

-- job_store.py NEW_VERSION
UPDATE jobs SET version = $1, moving = $1, source = $2, updated_at = $3, from_end = $4,
       source_module = CASE WHEN $5 = 1 THEN coalesce($6, source_module) END,
       source_group = CASE WHEN $5 = 1 THEN $7 END,
       undeclared_at = CASE WHEN $5 = 1 THEN undeclared_at END,
       retirement = CASE WHEN $5 = 1 THEN retirement END
WHERE id = $8 AND version = $9 AND deleted_at = 0;

-- job_store.py OF_CODE
UPDATE jobs SET source = 'code', source_module = coalesce($1, source_module), source_group = $2
WHERE id = $3 AND version = $4 AND deleted_at = 0;

-- job_store.py PRESENT
SELECT j.name FROM unnest($1::text::text[]) AS d(name) JOIN jobs j ON j.namespace = $2 AND j.name = d.name AND j.deleted_at = 0;

-- job_store.py OF_CODE_COUNT
SELECT count(*) FROM (SELECT 1 AS one FROM jobs WHERE namespace = $1 AND deleted_at = 0 AND source = 'code' LIMIT $2) q;

-- job_store.py NOTE_PAUSE
UPDATE jobs SET pause_reason = $1, paused_by = $2, paused_at = $3, updated_at = $4, retirement = CASE WHEN undeclared_at IS NOT NULL THEN 2 END, renamed_to = NULL WHERE id = $5 AND deleted_at = 0;

-- job_store.py NOTE_PAUSE_AGAIN
UPDATE jobs SET pause_reason = $1, paused_by = $2, updated_at = $3, retirement = CASE WHEN undeclared_at IS NOT NULL THEN 2 END, renamed_to = NULL WHERE id = $4 AND deleted_at = 0;

-- job_store.py DELETE
UPDATE jobs SET deleted_at = $1, updated_at = $1, moving = version WHERE id = $2 AND deleted_at = 0;

-- jobs/calendars.py NEWEST
SELECT c.name, c.version, c.document, c.created_at, c.created_by, c.reason FROM unnest($1::text::text[]) AS d(label) JOIN calendars c ON c.name = d.label AND c.latest = 1;

-- jobs/calendars.py PINNED
SELECT c.name, c.version, c.document, c.created_at, c.created_by, c.reason FROM unnest($1::text::text[], $2::text::bigint[]) AS d(label, version) JOIN calendars c ON c.name = d.label AND c.version = d.version;

-- jobs/calendars.py ALL
SELECT c.name, c.version, c.document, c.created_at, c.created_by, c.reason FROM calendars c WHERE c.latest = 1 ORDER BY c.name LIMIT 5000;

-- jobs/calendars.py LAST
SELECT max(version) FROM calendars WHERE name = $1;

-- jobs/calendars.py INSERT
INSERT INTO calendars (name, version, document, created_at, created_by, reason, latest) VALUES ($1, $2, $3, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), $4, $5, 1) ON CONFLICT DO NOTHING;

-- jobs/calendars.py AGE
UPDATE calendars SET latest = 0 WHERE name = $1 AND latest = 1 AND version <> $2;

-- jobs/calendars.py USERS
SELECT j.namespace, j.name, u.version FROM calendar_uses u JOIN jobs j ON j.id = u.job_id AND j.deleted_at = 0 WHERE u.name = $1 ORDER BY j.namespace, j.name LIMIT $2;

-- jobs/calendars.py OUTDATED
SELECT j.id, j.namespace, j.name, j.version, j.source, v.definition, u.name AS calendar, u.version AS pinned
FROM calendars c JOIN calendar_uses u ON u.name = c.name AND u.version < c.version
JOIN jobs j ON j.id = u.job_id AND j.deleted_at = 0
JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
WHERE c.latest = 1 AND (u.name > $1 OR (u.name = $1 AND (u.version > $2
      OR (u.version = $2 AND u.job_id > $3)))) AND (EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = $4) OR $4 IS NULL)
ORDER BY u.name, u.version, u.job_id LIMIT $5;

-- jobs/calendars.py FORGET_USES
DELETE FROM calendar_uses WHERE job_id = $1;

-- jobs/calendars.py KEEP_USES
INSERT INTO calendar_uses (job_id, name, version) SELECT $1, d.label, d.version FROM unnest($2::text::text[], $3::text::bigint[]) AS d(label, version);

-- jobs/change.py LOCK
SELECT job_id, version, state, next_at, next_due_at, cursor_ver, remaining, skip_from, skip_reason,
       skip_why
FROM cursors WHERE job_id = $1 FOR UPDATE;

-- jobs/declaration.py KNOWN
SELECT d.nth, j.id, j.version, v.hash, j.source, j.source_module
FROM unnest($1::text::bigint[], $2::text::text[], $3::text::text[]) AS d(nth, namespace, name) JOIN jobs j ON j.namespace = d.namespace AND j.name = d.name AND j.deleted_at = 0
JOIN job_versions v ON v.job_id = j.id AND v.version = j.version;

-- jobs/declaration.py DECLARERS
SELECT DISTINCT d.nth, cj.module
FROM unnest($1::text::bigint[], $2::text::text[], $3::text::text[], $4::text::text[]) AS d(nth, namespace, name, session) JOIN code_jobs cj ON cj.namespace = d.namespace AND cj.name = d.name
JOIN nodes n ON n.code = cj.code
WHERE n.state IN ('live', 'draining') AND n.kind = 'worker' AND n.id <> d.session;

-- jobs/declaration.py INSERT_JOBS
INSERT INTO jobs (namespace, name, deleted_at, version, source, created_at, updated_at, from_end,
                      source_module, source_group)
SELECT d.namespace, d.name, 0, 1, 'code', CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), d.from_end, d.module, d.group_name FROM unnest($1::text::text[], $2::text::text[], $3::text::bigint[], $4::text::text[], $5::text::text[]) AS d(namespace, name, from_end, module, group_name) WHERE true
ON CONFLICT DO NOTHING;

-- jobs/declaration.py IDS
SELECT d.nth, j.id
FROM unnest($1::text::bigint[], $2::text::text[], $3::text::text[]) AS d(nth, namespace, name) JOIN jobs j ON j.namespace = d.namespace AND j.name = d.name AND j.deleted_at = 0 AND j.version = 1;

-- jobs/declaration.py INSERT_VERSIONS
INSERT INTO job_versions (job_id, version, hash, definition, lane_id, merge_lane_id, created_at, created_by, reason)
SELECT d.job_id, 1, d.hash, d.definition, d.lane_id, d.merge_lane_id, $1, $2, $3 FROM unnest($4::text::bigint[], $5::text::text[], $6::text::text[], $7::text::bigint[], $8::text::bigint[]) AS d(job_id, hash, definition, lane_id, merge_lane_id);

-- jobs/declaration.py INSERT_CURSORS
INSERT INTO cursors (job_id, version, state, next_at, next_due_at, cursor_ver, remaining)
SELECT d.job_id, 1, d.state, d.next_at, d.next_due_at, 1, d.remaining FROM unnest($1::text::bigint[], $2::text::text[], $3::text::bigint[], $4::text::bigint[], $5::text::bigint[]) AS d(job_id, state, next_at, next_due_at, remaining);

-- jobs/declaration.py ADOPT
UPDATE jobs SET source = 'code', source_module = d.module, source_group = d.group_name FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::text[], $4::text::text[]) AS d(job_id, version, module, group_name)
WHERE jobs.id = d.job_id AND jobs.version = d.version AND jobs.deleted_at = 0;

-- jobs/definitions.py VERSIONS
SELECT v.job_id, v.version, j.namespace, j.name, v.definition, v.lane_id, v.merge_lane_id
FROM unnest($1::text::bigint[], $2::text::bigint[]) AS d(job_id, version)
JOIN job_versions v ON v.job_id = d.job_id AND v.version = d.version
JOIN jobs j ON j.id = v.job_id;

-- jobs/definitions.py LANES_BY_HASH
SELECT lanes.hash, lanes.id FROM unnest($1::text::text[]) AS d(hash) JOIN lanes ON lanes.hash = d.hash;

-- jobs/definitions.py DRAW_LANES
UPDATE store_meta SET lane_seq = lane_seq + $1 WHERE id = 1;

-- jobs/definitions.py LANES_DRAWN
SELECT lane_seq FROM store_meta WHERE id = 1;

-- jobs/definitions.py INSERT_LANES
INSERT INTO lanes (id, hash, document) SELECT d.id, d.hash, d.document FROM unnest($1::text::bigint[], $2::text::text[], $3::text::text[]) AS d(id, hash, document);

-- jobs/definitions.py LANES_AFTER
SELECT id, document FROM lanes WHERE id > $1 ORDER BY id;

-- jobs/held_time.py HELD
SELECT fire_key, from_at, to_at, version FROM skips WHERE job_id = $1 AND held = 1 ORDER BY to_at DESC LIMIT $2;

-- jobs/held_time.py TAKE_BACK
DELETE FROM skips WHERE job_id = $1 AND held = 1 AND fire_key IN (SELECT d.fire_key FROM unnest($2::text::text[]) AS d(fire_key));

-- jobs/held_time.py SHORTEN
UPDATE skips SET fire_key = $1, from_at = $2, count = $3 WHERE job_id = $4 AND held = 1 AND fire_key = $5;

-- jobs/job_alerts.py FORGET
DELETE FROM job_alerts WHERE job_id IN (SELECT d.job_id FROM unnest($1::text::bigint[]) AS d(job_id));

-- jobs/job_alerts.py KEEP
INSERT INTO job_alerts (job_id, version, document, late_us, slower_us, saved_at)
SELECT d.job_id, d.version, d.document, d.late_us, d.slower_us, $1 FROM unnest($2::text::bigint[], $3::text::bigint[], $4::text::text[], $5::text::bigint[], $6::text::bigint[]) AS d(job_id, version, document, late_us, slower_us);

-- jobs/job_alerts.py MISSED
SELECT l.last_id, m.id, m.version, m.definition
FROM (SELECT coalesce(max(id), 0) AS last_id FROM jobs) l LEFT JOIN (
  SELECT j.id, j.version, v.definition
  FROM jobs j JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
  LEFT JOIN job_alerts a ON a.job_id = j.id
  WHERE j.id > $1 AND j.id <= $2 AND j.deleted_at = 0 AND v.definition LIKE '%"alert":%'
        AND (a.job_id IS NULL OR a.version <> j.version)
) m ON m.id <= l.last_id;

-- jobs/line_order.py STEP_OUT
UPDATE runs SET place = NULL, parked = 1, ver = ver + 1
WHERE job_id = $1 AND state IN ('PENDING', 'RUNNING') AND shard = -1 AND place IS NOT NULL
      AND state = 'PENDING' AND attempt = 0 AND parent_id IS NULL AND fire_key >= 'm:' AND fire_key < 'm;'
      AND not_before > CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint);

-- jobs/line_order.py NOT_BEGUN
SELECT r.id, r.ver, r.place, r.open_children FROM runs r
WHERE r.job_id = $1 AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place IS NOT NULL
      AND r.attempt = 0 AND r.parent_id IS NULL AND r.lease_id IS NULL
ORDER BY r.id FOR UPDATE;

-- jobs/line_order.py PARTS
SELECT r.id, r.ver, r.parent_id, r.attempt, r.state FROM runs r WHERE r.parent_id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id))
ORDER BY r.id FOR UPDATE;

-- jobs/line_order.py LINE_UP
UPDATE runs SET place = d.place, serial = $1, parked = d.parked, follow = runs.follow | d.follow,
       ver = runs.ver + 1
FROM unnest($2::text::bigint[], $3::text::bigint[], $4::text::bigint[], $5::text::bigint[], $6::text::bigint[]) AS d(id, ver, place, parked, follow) WHERE runs.id = d.id AND runs.ver = d.ver;

-- jobs/removal.py FOR_LATER
SELECT r.id, r.ver, r.id FROM runs r
WHERE r.job_id = $1 AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1
      AND r.place IS NULL AND r.id > $2 AND r.state = 'PENDING'
ORDER BY r.id LIMIT $3;

-- jobs/removal.py IN_LINE
SELECT r.id, r.ver, r.place FROM runs r
WHERE r.job_id = $1 AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1
      AND r.place > $2 AND r.state = 'PENDING' AND r.parent_id IS NULL
ORDER BY r.place, r.id LIMIT $3;

-- jobs/removal.py SHARDS
SELECT r.id, r.ver, r.id FROM runs r
WHERE r.parent_id IN (
        SELECT p.id FROM runs p
        WHERE p.job_id = $1 AND p.state IN ('PENDING', 'RUNNING') AND p.shard = -1 AND p.open_children > 0
              AND NOT EXISTS (SELECT 1 FROM runs c WHERE c.parent_id = p.id AND c.attempt > 0))
      AND r.shard >= 0 AND r.id > $2 AND r.state = 'PENDING'
ORDER BY r.id LIMIT $3;

-- jobs/removal.py CLEARED
UPDATE jobs SET moving = NULL WHERE id = $1 AND deleted_at > 0;

-- jobs/reschedule.py STANDING
   SELECT c.job_id, c.version, c.state, c.next_at, c.next_due_at, c.remaining, j.namespace, j.name
   FROM cursors c JOIN jobs j ON j.id = c.job_id AND j.deleted_at = 0
WHERE c.job_id > $1 AND j.namespace = $2 ORDER BY c.job_id LIMIT $3;

-- jobs/reschedule.py FARTHEST
   SELECT c.job_id, c.version, c.state, c.next_at, c.next_due_at, c.remaining, j.namespace, j.name
   FROM cursors c JOIN jobs j ON j.id = c.job_id AND j.deleted_at = 0
WHERE c.next_at > CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AND c.state = 'active' ORDER BY c.next_at DESC, c.job_id DESC LIMIT $1;

-- jobs/reschedule.py SKIPPED_EARLY
SELECT coalesce(sum(count), 0) FROM skips WHERE job_id = $1 AND to_at >= $2 AND from_at >= $2;

-- jobs/reschedule.py TAKE_BACK
DELETE FROM skips WHERE job_id = $1 AND to_at >= $2 AND from_at >= $2;

-- jobs/reschedule.py SPANNING
SELECT id, from_at, count AS instants, version FROM skips WHERE job_id = $1 AND to_at >= $2 AND from_at < $2 ORDER BY to_at LIMIT $3;

-- jobs/reschedule.py SHORTEN
UPDATE skips SET to_at = $1, count = $2 WHERE id = $3 AND to_at > $1;

-- jobs/reschedule.py MADE_EARLY
SELECT count(*) FROM runs
WHERE job_id = $1 AND fire_key >= $2 AND fire_key < $3 AND shard = -1 AND due_at > $4
      AND triggered_by IS NULL;

-- jobs/reschedule.py RUNS_EARLY
SELECT r.id, r.ver FROM runs r
WHERE r.job_id = $1 AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place IS NOT NULL
      AND r.state = 'PENDING' AND r.parent_id IS NULL AND r.attempt = 0
      AND r.due_at >= $2 AND r.not_before > $3 AND r.fire_key >= $4 AND r.fire_key < $5
ORDER BY r.place, r.id LIMIT $6;

-- jobs/reschedule.py PARENTS_EARLY
SELECT p.id, p.open_children FROM runs p
WHERE p.job_id = $1 AND p.state IN ('PENDING', 'RUNNING') AND p.shard = -1 AND p.open_children > 0
      AND p.due_at >= $2 AND p.not_before > $3 AND p.fire_key >= $4 AND p.fire_key < $5
      AND NOT EXISTS (SELECT 1 FROM runs c WHERE c.parent_id = p.id AND c.attempt > 0)
ORDER BY p.place, p.id LIMIT $6;

-- jobs/reschedule.py PARTS
SELECT r.id, r.ver, r.parent_id, r.state FROM runs r WHERE r.parent_id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id)) ORDER BY r.id;

-- jobs/reschedule.py FREE_INSTANT
UPDATE runs SET fire_key = d.fire_key, ver = runs.ver + 1 FROM unnest($1::text::bigint[], $2::text::text[]) AS d(id, fire_key)
WHERE runs.id = d.id AND runs.state NOT IN ('PENDING', 'RUNNING');

-- jobs/reschedule.py RETRIES_EARLY
SELECT r.id FROM runs r
WHERE r.job_id = $1 AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place IS NOT NULL
      AND r.state = 'PENDING' AND r.attempt > 0 AND r.not_before > $2
ORDER BY r.place, r.id LIMIT $3;

-- jobs/reschedule.py RETRY_NOW
UPDATE runs SET not_before = $1, ver = ver + 1 WHERE id = $2 AND state = 'PENDING' AND not_before > $3;

-- jobs/retirement.py WITH_JOBS
SELECT d.module FROM unnest($1::text::text[]) AS d(module) WHERE EXISTS (SELECT 1 FROM jobs j WHERE j.source_module = d.module);

-- jobs/retirement.py OF_SOURCE
SELECT j.id FROM jobs j WHERE j.source_module = $1 AND j.id > $2 ORDER BY j.source_module, j.id LIMIT $3;

-- jobs/retirement.py UNDECLARED
SELECT j.id FROM jobs j
WHERE j.id IN (SELECT d.job_id FROM unnest($1::text::bigint[]) AS d(job_id)) AND j.deleted_at = 0 AND j.source = 'code' AND j.undeclared_at IS NULL
  AND ($2 = '' OR j.namespace = $2) AND ($3 = '' OR j.source_group = $3)
  AND NOT
EXISTS (SELECT 1 FROM code_jobs cj JOIN codes c ON c.hash = cj.code JOIN nodes n ON n.code = cj.code
        WHERE cj.namespace = j.namespace AND cj.name = j.name AND (c.group_name IS NULL OR c.group_name = j.source_group) AND n.state IN ('live', 'draining') AND n.kind = 'worker') AND NOT
EXISTS (SELECT 1 FROM nodes n
        WHERE n.code IS NULL AND n.state IN ('live', 'draining') AND n.kind = 'worker' AND (n.namespace IS NULL OR n.namespace = j.namespace)) AND
EXISTS (SELECT 1 FROM code_modules m JOIN codes c ON c.hash = m.code JOIN nodes n ON n.code = c.hash
        WHERE m.module = j.source_module AND n.state IN ('live', 'draining') AND n.kind = 'worker'
          AND (c.namespace IS NULL OR c.namespace = j.namespace) AND (c.group_name IS NULL OR c.group_name = j.source_group))
ORDER BY j.id FOR UPDATE SKIP LOCKED;

-- jobs/retirement.py MARK
UPDATE jobs SET undeclared_at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) FROM unnest($1::text::bigint[]) AS d(job_id) WHERE jobs.id = d.job_id AND jobs.undeclared_at IS NULL;

-- jobs/retirement.py MARKED
SELECT j.id FROM jobs j
WHERE j.source_module = $1 AND j.id > $2 AND j.undeclared_at > 0 AND j.retirement IS NULL
ORDER BY j.source_module, j.id LIMIT $3;

-- jobs/retirement.py ORPHANED
SELECT j.id, j.namespace, j.name, j.source_module, j.undeclared_at, j.created_at FROM jobs j
WHERE j.id IN (SELECT d.job_id FROM unnest($1::text::bigint[]) AS d(job_id)) AND j.deleted_at = 0 AND j.source = 'code'
  AND j.undeclared_at > 0 AND j.retirement IS NULL AND NOT
EXISTS (SELECT 1 FROM code_jobs cj JOIN codes c ON c.hash = cj.code JOIN nodes n ON n.code = cj.code
        WHERE cj.namespace = j.namespace AND cj.name = j.name AND (c.group_name IS NULL OR c.group_name = j.source_group) AND n.state IN ('live', 'draining') AND n.kind = 'worker') AND NOT
EXISTS (SELECT 1 FROM nodes n
        WHERE n.code IS NULL AND n.state IN ('live', 'draining') AND n.kind = 'worker' AND (n.namespace IS NULL OR n.namespace = j.namespace)) AND
EXISTS (SELECT 1 FROM code_modules m JOIN codes c ON c.hash = m.code JOIN nodes n ON n.code = c.hash
        WHERE m.module = j.source_module AND n.state IN ('live', 'draining') AND n.kind = 'worker'
          AND (c.namespace IS NULL OR c.namespace = j.namespace) AND (c.group_name IS NULL OR c.group_name = j.source_group));

-- jobs/retirement.py NEW_NAMES
SELECT j.name FROM jobs j
WHERE j.source_module = $1 AND j.namespace = $2 AND j.deleted_at = 0 AND j.undeclared_at IS NULL
  AND j.created_at > $3 ORDER BY j.id DESC LIMIT $4;

-- jobs/retirement.py RETIRE
UPDATE jobs SET retirement = d.retirement, pause_reason = coalesce(d.reason, jobs.pause_reason),
       paused_at = coalesce(d.paused_at, jobs.paused_at), renamed_to = d.renamed_to
FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::text[], $4::text::bigint[], $5::text::text[]) AS d(job_id, retirement, reason, paused_at, renamed_to) WHERE jobs.id = d.job_id AND jobs.undeclared_at > 0 AND jobs.retirement IS NULL;

-- jobs/retirement.py MARKED_OF_CODE
SELECT j.id, j.retirement FROM jobs j
JOIN code_jobs cj ON cj.namespace = j.namespace AND cj.name = j.name AND cj.code = $1
JOIN codes c ON c.hash = cj.code
WHERE j.undeclared_at > 0 AND j.deleted_at = 0 AND (c.group_name IS NULL OR c.group_name = j.source_group) ORDER BY j.undeclared_at, j.id LIMIT $2;

-- jobs/retirement.py MARKED_OF_LIVE
SELECT j.id, j.retirement FROM jobs j
WHERE j.undeclared_at > 0 AND j.deleted_at = 0 AND
EXISTS (SELECT 1 FROM code_jobs cj JOIN codes c ON c.hash = cj.code JOIN nodes n ON n.code = cj.code
        WHERE cj.namespace = j.namespace AND cj.name = j.name AND (c.group_name IS NULL OR c.group_name = j.source_group) AND n.state IN ('live', 'draining') AND n.kind = 'worker') ORDER BY j.undeclared_at, j.id LIMIT $1;

-- jobs/retirement.py UNMARK
UPDATE jobs SET undeclared_at = NULL, retirement = NULL
FROM unnest($1::text::bigint[]) AS d(job_id) WHERE jobs.id = d.job_id AND coalesce(jobs.retirement, 0) <> 1;

-- jobs/retirement.py RETIRED_NOW
SELECT j.id, j.namespace, j.name, j.source_module, j.undeclared_at FROM jobs j
WHERE j.id IN (SELECT d.job_id FROM unnest($1::text::bigint[]) AS d(job_id)) AND j.deleted_at = 0 AND j.retirement = 1;

-- jobs/retirement.py REVIVE
UPDATE jobs SET undeclared_at = NULL, retirement = NULL, renamed_to = NULL, pause_reason = NULL, paused_by = NULL,
       paused_at = NULL
FROM unnest($1::text::bigint[]) AS d(job_id) WHERE jobs.id = d.job_id;

-- jobs/strays.py WITH_STRAYS
SELECT DISTINCT c.hash
FROM codes c JOIN code_jobs cj ON cj.code = c.hash
JOIN jobs j ON j.namespace = cj.namespace AND j.name = cj.name AND j.deleted_at = 0
WHERE c.whole = 1 AND EXISTS (SELECT 1 FROM nodes n WHERE n.code = c.hash AND n.state IN ('live', 'draining') AND n.kind = 'worker')
  AND j.source = 'code' AND j.source_module <> cj.module AND (c.group_name IS NULL OR c.group_name = j.source_group)
  AND NOT
EXISTS (SELECT 1 FROM code_jobs o JOIN nodes n ON n.code = o.code
        WHERE o.namespace = j.namespace AND o.name = j.name AND o.module = j.source_module AND n.state IN ('live', 'draining') AND n.kind = 'worker') AND NOT
EXISTS (SELECT 1 FROM nodes n
        WHERE n.code IS NULL AND n.state IN ('live', 'draining') AND n.kind = 'worker' AND (n.namespace IS NULL OR n.namespace = j.namespace))
ORDER BY c.hash LIMIT $1;

-- jobs/strays.py ASK
UPDATE codes SET ver = codes.ver + 1, whole = 2 FROM unnest($1::text::text[]) AS d(hash) WHERE codes.hash = d.hash AND codes.whole = 1;

-- jobs/suggestions.py NAMES_NEAR
SELECT name FROM (SELECT name FROM jobs WHERE namespace = $1 AND deleted_at = 0 AND name >= $2
                  ORDER BY namespace, name LIMIT $3) after_it
UNION ALL
SELECT name FROM (SELECT name FROM jobs WHERE namespace = $1 AND deleted_at = 0 AND name < $2
                  ORDER BY namespace DESC, name DESC LIMIT $3) before_it;

-- jobs/trial.py INSERT_JOB
INSERT INTO jobs (namespace, name, deleted_at, version, source, created_at, updated_at, from_end)
SELECT $1, $2, $3, 1, $4, $5, $5, 0 WHERE true
ON CONFLICT DO NOTHING;

-- jobs/trial.py LAST_DELETED
SELECT coalesce(max(deleted_at), 0) FROM jobs WHERE namespace = $1 AND name = $2;

-- jobs/trial.py JOB_ID
SELECT id FROM jobs WHERE namespace = $1 AND name = $2 AND deleted_at = $3;

-- jobs/trial.py RUN_ID
SELECT id FROM runs WHERE job_id = $1 AND fire_key = $2 AND shard = -1;

-- jobs/version_move.py FOR_LATER.look
   SELECT
   r.id, r.ver, r.version, r.place, r.fire_key, r.triggered_by, r.priority, r.serial, r.parked, r.follow,
   r.lane, r.not_before, r.open_children, CASE WHEN (r.follow & 4) > 0 AND EXISTS (
     SELECT 1 FROM runs s WHERE s.parent_id = r.parent_id AND s.attempt > 0) THEN 1 ELSE 0 END
FROM runs r
   WHERE r.job_id = $1 AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1
         AND r.place IS NULL AND r.id > $2 AND r.state = 'PENDING' AND r.attempt = 0 AND r.version < $3
   ORDER BY r.id LIMIT $4;

-- jobs/version_move.py FOR_LATER.take
   SELECT
   r.id, r.ver, r.version, r.place, r.fire_key, r.triggered_by, r.priority, r.serial, r.parked, r.follow,
   r.lane, r.not_before, r.open_children, CASE WHEN (r.follow & 4) > 0 AND EXISTS (
     SELECT 1 FROM runs s WHERE s.parent_id = r.parent_id AND s.attempt > 0) THEN 1 ELSE 0 END
FROM runs r
   WHERE r.job_id = $1 AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1
         AND r.place IS NULL AND r.id > $2 AND r.state = 'PENDING' AND r.attempt = 0 AND r.version < $3
   ORDER BY r.id LIMIT $4
    FOR UPDATE SKIP LOCKED;

-- jobs/version_move.py IN_LINE.look
   SELECT
   r.id, r.ver, r.version, r.place, r.fire_key, r.triggered_by, r.priority, r.serial, r.parked, r.follow,
   r.lane, r.not_before, r.open_children, CASE WHEN (r.follow & 4) > 0 AND EXISTS (
     SELECT 1 FROM runs s WHERE s.parent_id = r.parent_id AND s.attempt > 0) THEN 1 ELSE 0 END
FROM runs r
   WHERE r.job_id = $1 AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1
         AND r.place > $2 AND r.state = 'PENDING' AND r.attempt = 0 AND r.version < $3
   ORDER BY r.place, r.id LIMIT $4;

-- jobs/version_move.py IN_LINE.take
   SELECT
   r.id, r.ver, r.version, r.place, r.fire_key, r.triggered_by, r.priority, r.serial, r.parked, r.follow,
   r.lane, r.not_before, r.open_children, CASE WHEN (r.follow & 4) > 0 AND EXISTS (
     SELECT 1 FROM runs s WHERE s.parent_id = r.parent_id AND s.attempt > 0) THEN 1 ELSE 0 END
FROM runs r
   WHERE r.job_id = $1 AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1
         AND r.place > $2 AND r.state = 'PENDING' AND r.attempt = 0 AND r.version < $3
   ORDER BY r.place, r.id LIMIT $4
    FOR UPDATE SKIP LOCKED;

-- jobs/version_move.py PARENTS.look
   SELECT
   r.id, r.ver, r.version, r.place, r.fire_key, r.triggered_by, r.priority, r.serial, r.parked, r.follow,
   r.lane, r.not_before, r.open_children, CASE WHEN (r.follow & 4) > 0 AND EXISTS (
     SELECT 1 FROM runs s WHERE s.parent_id = r.parent_id AND s.attempt > 0) THEN 1 ELSE 0 END
FROM runs r
   WHERE r.job_id = $1 AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place > $2
         AND r.state = 'RUNNING' AND r.parent_id IS NULL AND r.open_children > 0 AND r.attempt = 0
         AND r.version < $3 AND NOT EXISTS (SELECT 1 FROM runs b WHERE b.parent_id = r.id AND b.attempt > 0)
   ORDER BY r.place, r.id LIMIT $4;

-- jobs/version_move.py PARENTS.take
   SELECT
   r.id, r.ver, r.version, r.place, r.fire_key, r.triggered_by, r.priority, r.serial, r.parked, r.follow,
   r.lane, r.not_before, r.open_children, CASE WHEN (r.follow & 4) > 0 AND EXISTS (
     SELECT 1 FROM runs s WHERE s.parent_id = r.parent_id AND s.attempt > 0) THEN 1 ELSE 0 END
FROM runs r
   WHERE r.job_id = $1 AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place > $2
         AND r.state = 'RUNNING' AND r.parent_id IS NULL AND r.open_children > 0 AND r.attempt = 0
         AND r.version < $3 AND NOT EXISTS (SELECT 1 FROM runs b WHERE b.parent_id = r.id AND b.attempt > 0)
   ORDER BY r.place, r.id LIMIT $4
    FOR UPDATE SKIP LOCKED;

-- jobs/version_move.py PARTS
    SELECT
    r.id, r.ver, r.version, r.place, r.fire_key, r.triggered_by, r.priority, r.serial, r.parked, r.follow,
    r.lane, r.not_before, r.open_children, CASE WHEN (r.follow & 4) > 0 AND EXISTS (
      SELECT 1 FROM runs s WHERE s.parent_id = r.parent_id AND s.attempt > 0) THEN 1 ELSE 0 END
, r.parent_id, r.attempt, r.state FROM runs r WHERE r.parent_id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id))
    ORDER BY r.id FOR UPDATE;

-- jobs/version_move.py SHARDS.look
   SELECT
   r.id, r.ver, r.version, r.place, r.fire_key, r.triggered_by, r.priority, r.serial, r.parked, r.follow,
   r.lane, r.not_before, r.open_children, CASE WHEN (r.follow & 4) > 0 AND EXISTS (
     SELECT 1 FROM runs s WHERE s.parent_id = r.parent_id AND s.attempt > 0) THEN 1 ELSE 0 END
FROM runs r
   WHERE r.parent_id IN (SELECT p.id FROM runs p WHERE p.job_id = $1 AND p.state IN ('PENDING', 'RUNNING')
                               AND p.shard = -1 AND (p.version = $2 OR EXISTS (SELECT 1 FROM runs b WHERE b.parent_id = p.id AND b.attempt > 0)))
         AND r.shard >= 0 AND r.id > $3 AND r.state = 'PENDING' AND r.attempt = 0 AND r.version < $2
   ORDER BY r.id LIMIT $4;

-- jobs/version_move.py SHARDS.take
   SELECT
   r.id, r.ver, r.version, r.place, r.fire_key, r.triggered_by, r.priority, r.serial, r.parked, r.follow,
   r.lane, r.not_before, r.open_children, CASE WHEN (r.follow & 4) > 0 AND EXISTS (
     SELECT 1 FROM runs s WHERE s.parent_id = r.parent_id AND s.attempt > 0) THEN 1 ELSE 0 END
FROM runs r
   WHERE r.parent_id IN (SELECT p.id FROM runs p WHERE p.job_id = $1 AND p.state IN ('PENDING', 'RUNNING')
                               AND p.shard = -1 AND (p.version = $2 OR EXISTS (SELECT 1 FROM runs b WHERE b.parent_id = p.id AND b.attempt > 0)))
         AND r.shard >= 0 AND r.id > $3 AND r.state = 'PENDING' AND r.attempt = 0 AND r.version < $2
   ORDER BY r.id LIMIT $4
    FOR UPDATE SKIP LOCKED;

-- jobs/version_move.py TAKE_VERSION
UPDATE runs SET version = $1, lane = d.lane, priority = d.priority, serial = d.serial, parked = d.parked,
       follow = d.follow, not_before = d.not_before, ver = runs.ver + 1, assigned_to = NULL, assigned_before = NULL
FROM unnest($2::text::bigint[], $3::text::bigint[], $4::text::bigint[], $5::text::bigint[], $6::text::bigint[], $7::text::bigint[], $8::text::bigint[], $9::text::bigint[]) AS d(id, ver, lane, priority, serial, parked, follow, not_before)
WHERE runs.id = d.id AND runs.ver = d.ver AND runs.attempt = 0;

-- jobs/version_move.py CURRENT
SELECT moving FROM jobs WHERE id = $1 AND moving IS NOT NULL AND deleted_at = 0;

-- jobs/version_move.py MOVED
UPDATE jobs SET moving = NULL WHERE id = $1 AND moving = $2 AND deleted_at = 0;

-- jobs/version_move.py UNFINISHED
SELECT moving, id, deleted_at FROM jobs WHERE moving >= $1 AND (moving > $1 OR id > $2)
  AND (EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = $3) OR $3 IS NULL)
ORDER BY moving, id LIMIT $4;

-- jobs/written.py INSERT_VERSION
INSERT INTO job_versions (job_id, version, hash, definition, lane_id, merge_lane_id, created_at, created_by, reason)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9);

-- jobs/written.py INSERT_CURSOR
INSERT INTO cursors (job_id, version, state, next_at, next_due_at, cursor_ver, remaining)
VALUES ($1, 1, $2, $3, $4, 1, $5);

-- kernel/database.py _NOW
SELECT CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint);

-- kernel/epoch.py FINGERPRINT
SELECT concat_ws('/', 'postgresql', (SELECT system_identifier FROM pg_control_system()), left(pg_walfile_name(pg_current_wal_lsn()), 8), extract(epoch FROM pg_postmaster_start_time())), CASE WHEN current_setting('synchronous_standby_names') = '' AND (EXISTS (SELECT 1 FROM pg_stat_replication) OR EXISTS (SELECT 1 FROM pg_replication_slots WHERE slot_type = 'physical')) THEN 'its standbys are not synchronous' END;

-- kernel/epoch.py REMEMBERED
SELECT epoch, fingerprint, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) FROM store_meta WHERE id = 1;

-- kernel/epoch.py RAISE
UPDATE store_meta SET epoch = $1, fingerprint = $2
WHERE id = 1 AND epoch = $3 AND fingerprint = $4;

-- kernel/replica.py FRESH
SELECT m.epoch, m.last_tick_at, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AS now,
       (SELECT max(n.last_beat_at) FROM nodes n WHERE n.state = 'live' AND n.kind = 'server') AS beat_at
FROM store_meta m WHERE m.id = 1;

-- kernel/schema.py _LOCK
SELECT pg_advisory_xact_lock(7166315);

-- kernel/schema.py _NAMES
SELECT c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema();

-- kernel/schema.py _READABLE_FROM
SELECT readable_from FROM store_meta WHERE id = 1;

-- leasing/assigned.py QUEUES
WITH RECURSIVE walk (session, lane) AS (
  SELECT s.id, (SELECT min(r.lane) FROM runs r WHERE r.state = 'PENDING' AND r.parked = 2 AND r.assigned_to = s.id) FROM unnest($1::text::text[]) AS s(id)
  UNION ALL
  SELECT w.session, (SELECT min(r.lane) FROM runs r
                     WHERE r.state = 'PENDING' AND r.parked = 2 AND r.assigned_to = w.session AND r.lane > w.lane)
  FROM walk w WHERE w.lane IS NOT NULL
)
SELECT walk.session, walk.lane, (SELECT r.assigned_rank FROM runs r
                                 WHERE r.state = 'PENDING' AND r.parked = 2 AND r.assigned_to = walk.session AND r.lane = walk.lane
                                 ORDER BY r.assigned_rank DESC LIMIT 1)
FROM walk WHERE walk.lane IS NOT NULL;

-- leasing/assigned.py LOOK.every
    SELECT r.* FROM unnest($1::text::text[], $2::text::bigint[], $3::text::bigint[], $4::text::bigint[], $5::text::bigint[]) AS k(session, lane, low, high, n) CROSS JOIN LATERAL (
      SELECT
    r.id, r.job_id, r.version, r.ver, r.attempt, r.deaths, r.lane, r.class, r.priority, r.not_before, r.shard, r.follow,
    r.due_at, r.assigned_to, r.assigned_until, r.params, r.checkpoint, r.reason
, CASE WHEN
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.job_id = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
 THEN 1 ELSE 0 END AS replaced FROM runs r
      WHERE r.assigned_to = k.session AND r.lane = k.lane AND r.assigned_rank >= k.low AND r.assigned_rank < k.high
            AND r.state = 'PENDING' AND r.parked = 2 AND r.not_before <= $6
    AND (r.serial = 0 OR (r.place IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM runs e
      WHERE e.job_id = r.job_id AND e.state IN ('PENDING', 'RUNNING') AND e.shard = -1
            AND (e.place, e.id) < (r.place, coalesce(r.parent_id, r.id)))))
      ORDER BY r.assigned_rank, r.id LIMIT k.n
     ) r;

-- leasing/assigned.py LOOK.each
    SELECT
    r.id, r.job_id, r.version, r.ver, r.attempt, r.deaths, r.lane, r.class, r.priority, r.not_before, r.shard, r.follow,
    r.due_at, r.assigned_to, r.assigned_until, r.params, r.checkpoint, r.reason
, CASE WHEN
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.job_id = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
 THEN 1 ELSE 0 END AS replaced FROM runs r
    WHERE r.assigned_to = $1 AND r.lane = $2 AND r.assigned_rank >= $3 AND r.assigned_rank < $4
          AND r.state = 'PENDING' AND r.parked = 2 AND r.not_before <= $5
    AND (r.serial = 0 OR (r.place IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM runs e
      WHERE e.job_id = r.job_id AND e.state IN ('PENDING', 'RUNNING') AND e.shard = -1
            AND (e.place, e.id) < (r.place, coalesce(r.parent_id, r.id)))))
    ORDER BY r.assigned_rank, r.id LIMIT $6;

-- leasing/assigned.py TAKE.every
    SELECT r.* FROM unnest($1::text::text[], $2::text::bigint[], $3::text::bigint[], $4::text::bigint[], $5::text::bigint[]) AS k(session, lane, low, high, n) CROSS JOIN LATERAL (
      SELECT
    r.id, r.job_id, r.version, r.ver, r.attempt, r.deaths, r.lane, r.class, r.priority, r.not_before, r.shard, r.follow,
    r.due_at, r.assigned_to, r.assigned_until, r.params, r.checkpoint, r.reason
, CASE WHEN
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.job_id = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
 THEN 1 ELSE 0 END AS replaced FROM runs r
      WHERE r.assigned_to = k.session AND r.lane = k.lane AND r.assigned_rank >= k.low AND r.assigned_rank < k.high
            AND r.state = 'PENDING' AND r.parked = 2 AND r.not_before <= $6
    AND (r.serial = 0 OR (r.place IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM runs e
      WHERE e.job_id = r.job_id AND e.state IN ('PENDING', 'RUNNING') AND e.shard = -1
            AND (e.place, e.id) < (r.place, coalesce(r.parent_id, r.id)))))
      ORDER BY r.assigned_rank, r.id LIMIT k.n
     FOR UPDATE SKIP LOCKED) r;

-- leasing/assigned.py TAKE.each
    SELECT
    r.id, r.job_id, r.version, r.ver, r.attempt, r.deaths, r.lane, r.class, r.priority, r.not_before, r.shard, r.follow,
    r.due_at, r.assigned_to, r.assigned_until, r.params, r.checkpoint, r.reason
, CASE WHEN
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.job_id = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
 THEN 1 ELSE 0 END AS replaced FROM runs r
    WHERE r.assigned_to = $1 AND r.lane = $2 AND r.assigned_rank >= $3 AND r.assigned_rank < $4
          AND r.state = 'PENDING' AND r.parked = 2 AND r.not_before <= $5
    AND (r.serial = 0 OR (r.place IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM runs e
      WHERE e.job_id = r.job_id AND e.state IN ('PENDING', 'RUNNING') AND e.shard = -1
            AND (e.place, e.id) < (r.place, coalesce(r.parent_id, r.id)))))
    ORDER BY r.assigned_rank, r.id LIMIT $6
     FOR UPDATE SKIP LOCKED;

-- leasing/assigned.py LOOK_DOUBTING.every
    SELECT r.* FROM unnest($1::text::text[], $2::text::bigint[], $3::text::bigint[], $4::text::bigint[], $5::text::bigint[]) AS k(session, lane, low, high, n) CROSS JOIN LATERAL (
      SELECT
    r.id, r.job_id, r.version, r.ver, r.attempt, r.deaths, r.lane, r.class, r.priority, r.not_before, r.shard, r.follow,
    r.due_at, r.assigned_to, r.assigned_until, r.params, r.checkpoint, r.reason
, CASE WHEN
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.job_id = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
 THEN 1 ELSE 0 END AS replaced FROM runs r
      WHERE r.assigned_to = k.session AND r.lane = k.lane AND r.assigned_rank >= k.low AND r.assigned_rank < k.high
            AND r.state = 'PENDING' AND r.parked = 2 AND r.not_before <= $6
    AND (r.serial = 0 OR (r.place IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM runs e
      WHERE e.job_id = r.job_id AND e.state IN ('PENDING', 'RUNNING') AND e.shard = -1
            AND (e.place, e.id) < (r.place, coalesce(r.parent_id, r.id)))))
    AND (r.not_before <= $7 OR r.created_at > $8 OR (r.ver > 1 AND r.not_before >= $9))
      ORDER BY r.assigned_rank, r.id LIMIT k.n
     ) r;

-- leasing/assigned.py LOOK_DOUBTING.each
    SELECT
    r.id, r.job_id, r.version, r.ver, r.attempt, r.deaths, r.lane, r.class, r.priority, r.not_before, r.shard, r.follow,
    r.due_at, r.assigned_to, r.assigned_until, r.params, r.checkpoint, r.reason
, CASE WHEN
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.job_id = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
 THEN 1 ELSE 0 END AS replaced FROM runs r
    WHERE r.assigned_to = $1 AND r.lane = $2 AND r.assigned_rank >= $3 AND r.assigned_rank < $4
          AND r.state = 'PENDING' AND r.parked = 2 AND r.not_before <= $5
    AND (r.serial = 0 OR (r.place IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM runs e
      WHERE e.job_id = r.job_id AND e.state IN ('PENDING', 'RUNNING') AND e.shard = -1
            AND (e.place, e.id) < (r.place, coalesce(r.parent_id, r.id)))))
    AND (r.not_before <= $6 OR r.created_at > $7 OR (r.ver > 1 AND r.not_before >= $8))
    ORDER BY r.assigned_rank, r.id LIMIT $9;

-- leasing/assigned.py TAKE_DOUBTING.every
    SELECT r.* FROM unnest($1::text::text[], $2::text::bigint[], $3::text::bigint[], $4::text::bigint[], $5::text::bigint[]) AS k(session, lane, low, high, n) CROSS JOIN LATERAL (
      SELECT
    r.id, r.job_id, r.version, r.ver, r.attempt, r.deaths, r.lane, r.class, r.priority, r.not_before, r.shard, r.follow,
    r.due_at, r.assigned_to, r.assigned_until, r.params, r.checkpoint, r.reason
, CASE WHEN
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.job_id = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
 THEN 1 ELSE 0 END AS replaced FROM runs r
      WHERE r.assigned_to = k.session AND r.lane = k.lane AND r.assigned_rank >= k.low AND r.assigned_rank < k.high
            AND r.state = 'PENDING' AND r.parked = 2 AND r.not_before <= $6
    AND (r.serial = 0 OR (r.place IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM runs e
      WHERE e.job_id = r.job_id AND e.state IN ('PENDING', 'RUNNING') AND e.shard = -1
            AND (e.place, e.id) < (r.place, coalesce(r.parent_id, r.id)))))
    AND (r.not_before <= $7 OR r.created_at > $8 OR (r.ver > 1 AND r.not_before >= $9))
      ORDER BY r.assigned_rank, r.id LIMIT k.n
     FOR UPDATE SKIP LOCKED) r;

-- leasing/assigned.py TAKE_DOUBTING.each
    SELECT
    r.id, r.job_id, r.version, r.ver, r.attempt, r.deaths, r.lane, r.class, r.priority, r.not_before, r.shard, r.follow,
    r.due_at, r.assigned_to, r.assigned_until, r.params, r.checkpoint, r.reason
, CASE WHEN
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.job_id = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
 THEN 1 ELSE 0 END AS replaced FROM runs r
    WHERE r.assigned_to = $1 AND r.lane = $2 AND r.assigned_rank >= $3 AND r.assigned_rank < $4
          AND r.state = 'PENDING' AND r.parked = 2 AND r.not_before <= $5
    AND (r.serial = 0 OR (r.place IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM runs e
      WHERE e.job_id = r.job_id AND e.state IN ('PENDING', 'RUNNING') AND e.shard = -1
            AND (e.place, e.id) < (r.place, coalesce(r.parent_id, r.id)))))
    AND (r.not_before <= $6 OR r.created_at > $7 OR (r.ver > 1 AND r.not_before >= $8))
    ORDER BY r.assigned_rank, r.id LIMIT $9
     FOR UPDATE SKIP LOCKED;

-- leasing/assignment.py STATES
SELECT c.job_id, c.cursor_ver, c.route_state FROM cursors c WHERE c.job_id IN (SELECT d.job_id FROM unnest($1::text::bigint[]) AS d(job_id))
ORDER BY c.job_id FOR UPDATE SKIP LOCKED;

-- leasing/assignment.py AS_SEEN
SELECT s.id, s.ver FROM unnest($1::text::bigint[]) AS d(id) CROSS JOIN LATERAL (
  SELECT r.id, r.ver FROM runs r WHERE r.id = d.id AND r.state = 'PENDING' AND r.parked = 0 FOR UPDATE SKIP LOCKED) s;

-- leasing/assignment.py KEEP
UPDATE cursors SET route_state = d.state, cursor_ver = cursors.cursor_ver + 1
FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::text[]) AS d(job_id, seen, state) WHERE cursors.job_id = d.job_id AND cursors.cursor_ver = d.seen;

-- leasing/assignment.py ASSIGN
UPDATE runs SET parked = 2, assigned_to = d.session, assigned_until = d.until, assigned_rank = d.rank_,
       ver = runs.ver + 1
FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::text[], $4::text::bigint[], $5::text::bigint[]) AS d(id, ver, session, until, rank_) WHERE runs.id = d.id AND runs.ver = d.ver;

-- leasing/assignment.py MOMENT
SELECT m.maintenance_at, m.maintenance_until, m.reap_after, m.scopes_ver, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AS now FROM store_meta m
WHERE m.id = 1;

-- leasing/assignment.py LOST
   WITH RECURSIVE walk (session) AS (
     SELECT (SELECT r.assigned_to FROM runs r WHERE r.state = 'PENDING' AND r.parked = 2 AND r.assigned_to > ''
             ORDER BY r.assigned_to LIMIT 1)
     UNION ALL
     SELECT (SELECT r.assigned_to FROM runs r WHERE r.state = 'PENDING' AND r.parked = 2 AND r.assigned_to > w.session
             ORDER BY r.assigned_to LIMIT 1)
     FROM walk w WHERE w.session IS NOT NULL
   )
SELECT walk.session FROM walk
   LEFT JOIN nodes n ON n.id = walk.session AND n.state = 'live' AND (n.until >= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) OR $1 = 1)
   WHERE walk.session IS NOT NULL AND walk.session <> '*' AND n.id IS NULL;

-- leasing/assignment.py OF_LOST
SELECT r.id, r.ver, r.assigned_to, r.assigned_before, r.assigned_until, r.lane FROM runs r WHERE r.assigned_to IN (SELECT d.session FROM unnest($1::text::text[]) AS d(session)) AND r.state = 'PENDING' AND r.parked = 2
       AND r.assigned_until IS NOT NULL
ORDER BY r.id LIMIT $2 FOR UPDATE SKIP LOCKED;

-- leasing/assignment.py OVERDUE
SELECT r.id, r.ver, r.assigned_to, r.assigned_before, r.assigned_until, r.lane FROM runs r WHERE r.state = 'PENDING' AND r.parked = 2 AND r.assigned_until <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint)
ORDER BY r.assigned_until, r.id LIMIT $1 FOR UPDATE SKIP LOCKED;

-- leasing/assignment.py TAKE_BACK
UPDATE runs SET parked = 0, assigned_to = NULL, assigned_until = NULL, assigned_before = d.before_,
       ver = runs.ver + 1
FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::text[]) AS d(id, ver, before_) WHERE runs.id = d.id AND runs.ver = d.ver;

-- leasing/broadcast.py CUT
UPDATE runs SET state = 'RUNNING', open_children = d.shards, follow = runs.follow - (runs.follow & 2),
       ver = runs.ver + 1
FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::bigint[]) AS d(id, ver, shards) WHERE runs.id = d.id AND runs.ver = d.ver;

-- leasing/broadcast.py INSERT_SHARDS
INSERT INTO runs (job_id, version, fire_key, shard, parent_id, due_at, not_before, lane, class, priority,
                      serial, place, parked, assigned_to, session_id, assigned_rank, follow, state, ver, created_at,
                      triggered_by, reason, params)
SELECT p.job_id, p.version, p.fire_key, d.shard, p.id, p.due_at, p.not_before, p.lane, p.class, p.priority,
       p.serial, p.place, 2, d.session, d.session, p.not_before - p.priority * 60000000 + CASE WHEN p.class = 0 THEN 0 ELSE 1152921504606846976 END,
       d.follow | (p.follow & 224), 'PENDING', 1, $1, p.triggered_by, p.reason, p.params
FROM unnest($2::text::bigint[], $3::text::bigint[], $4::text::text[], $5::text::bigint[]) AS d(parent, shard, session, follow) JOIN runs p ON p.id = d.parent WHERE true
ON CONFLICT DO NOTHING;

-- leasing/broadcast.py ORPHANING
   WITH RECURSIVE walk (session) AS (
     SELECT (SELECT r.assigned_to FROM runs r WHERE r.state = 'PENDING' AND r.parked = 2 AND r.assigned_to > ''
             ORDER BY r.assigned_to LIMIT 1)
     UNION ALL
     SELECT (SELECT r.assigned_to FROM runs r WHERE r.state = 'PENDING' AND r.parked = 2 AND r.assigned_to > w.session
             ORDER BY r.assigned_to LIMIT 1)
     FROM walk w WHERE w.session IS NOT NULL
   )
SELECT walk.session, n.name, n.group_name, n.namespace, n.labels, n.handlers FROM walk
   LEFT JOIN nodes n ON n.id = walk.session AND n.state = 'live' AND n.until >= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint)
   WHERE walk.session IS NOT NULL AND walk.session <> '*'
         AND (n.id IS NULL
              OR n.offers_at < CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - $1 - $2 AND
   (SELECT CASE WHEN CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) >= m.reap_after AND 2 * (CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - m.last_tick_at) <= $1
                THEN 1 ELSE 0 END FROM store_meta m WHERE m.id = 1) = 1
                 AND EXISTS (SELECT 1 FROM runs r
                             WHERE r.assigned_to = walk.session AND r.state = 'PENDING' AND r.parked = 2 AND (r.follow & 256) <> 0));

-- leasing/broadcast.py OF_GONE
SELECT r.id, r.ver, r.assigned_to, n.name, n.state FROM runs r LEFT JOIN nodes n ON n.id = r.assigned_to
WHERE r.assigned_to IN (SELECT d.session FROM unnest($1::text::text[]) AS d(session)) AND r.state = 'PENDING' AND r.parked = 2 AND (r.follow & 256) <> 0
      AND (n.id IS NULL OR n.state <> 'live') AND EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = $2)
LIMIT $3;

-- leasing/broadcast.py LANES_OF
SELECT DISTINCT r.assigned_to, r.lane FROM runs r
WHERE r.assigned_to IN (SELECT d.session FROM unnest($1::text::text[]) AS d(session)) AND r.state = 'PENDING' AND r.parked = 2 AND (r.follow & 256) <> 0;

-- leasing/broadcast.py OF_LANES
SELECT r.id, r.ver, r.assigned_to, r.lane FROM unnest($1::text::text[], $2::text::bigint[]) AS d(session, lane) JOIN runs r ON r.assigned_to = d.session AND r.lane = d.lane
WHERE r.state = 'PENDING' AND r.parked = 2 AND (r.follow & 256) <> 0 AND EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = $3)
LIMIT $4;

-- leasing/broadcast.py COUNTS
SELECT r.id, (SELECT s.shard + 1 FROM runs s WHERE s.job_id = r.job_id AND s.fire_key = r.fire_key
              ORDER BY s.shard DESC LIMIT 1)
FROM runs r WHERE r.id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id));

-- leasing/candidates.py PEEK
SELECT f.lane, f.class, f.priority, f.not_before
    FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::bigint[], $4::text::bigint[], $5::text::bigint[]) AS k(lane, class, priority, low, n) CROSS JOIN LATERAL (
      SELECT r.lane, r.class, r.priority, r.not_before FROM runs r
      WHERE r.lane = k.lane AND r.class = k.class AND r.priority = k.priority AND r.not_before >= k.low
            AND r.state = 'PENDING' AND r.parked = 0 AND r.not_before <= $6
    AND (r.serial = 0 OR (r.place IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM runs e
      WHERE e.job_id = r.job_id AND e.state IN ('PENDING', 'RUNNING') AND e.shard = -1
            AND (e.place, e.id) < (r.place, coalesce(r.parent_id, r.id)))))
      ORDER BY r.not_before, r.id LIMIT k.n
    ) f;

-- leasing/candidates.py LOOK
SELECT r.*
    FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::bigint[], $4::text::bigint[], $5::text::bigint[]) AS k(lane, class, priority, low, n) CROSS JOIN LATERAL (
      SELECT
    r.id, r.job_id, r.version, r.ver, r.attempt, r.deaths, r.lane, r.class, r.priority, r.not_before, r.shard, r.follow,
    r.due_at, r.assigned_to, r.assigned_until, r.params, r.checkpoint, r.reason
, CASE WHEN
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.job_id = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
 THEN 1 ELSE 0 END AS replaced FROM runs r
      WHERE r.lane = k.lane AND r.class = k.class AND r.priority = k.priority AND r.not_before >= k.low
            AND r.state = 'PENDING' AND r.parked = 0 AND r.not_before <= $6
    AND (r.serial = 0 OR (r.place IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM runs e
      WHERE e.job_id = r.job_id AND e.state IN ('PENDING', 'RUNNING') AND e.shard = -1
            AND (e.place, e.id) < (r.place, coalesce(r.parent_id, r.id)))))
      ORDER BY r.not_before, r.id LIMIT k.n
    ) r;

-- leasing/candidates.py TAKE
SELECT r.*
    FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::bigint[], $4::text::bigint[], $5::text::bigint[]) AS k(lane, class, priority, low, n) CROSS JOIN LATERAL (
      SELECT
    r.id, r.job_id, r.version, r.ver, r.attempt, r.deaths, r.lane, r.class, r.priority, r.not_before, r.shard, r.follow,
    r.due_at, r.assigned_to, r.assigned_until, r.params, r.checkpoint, r.reason
, CASE WHEN
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.job_id = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
 THEN 1 ELSE 0 END AS replaced FROM runs r
      WHERE r.lane = k.lane AND r.class = k.class AND r.priority = k.priority AND r.not_before >= k.low
            AND r.state = 'PENDING' AND r.parked = 0 AND r.not_before <= $6
    AND (r.serial = 0 OR (r.place IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM runs e
      WHERE e.job_id = r.job_id AND e.state IN ('PENDING', 'RUNNING') AND e.shard = -1
            AND (e.place, e.id) < (r.place, coalesce(r.parent_id, r.id)))))
      ORDER BY r.not_before, r.id LIMIT k.n
     FOR UPDATE SKIP LOCKED) r;

-- leasing/candidates.py LOOK_AT_KIND
    SELECT
    r.id, r.job_id, r.version, r.ver, r.attempt, r.deaths, r.lane, r.class, r.priority, r.not_before, r.shard, r.follow,
    r.due_at, r.assigned_to, r.assigned_until, r.params, r.checkpoint, r.reason
, CASE WHEN
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.job_id = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
 THEN 1 ELSE 0 END AS replaced FROM runs r
    WHERE r.lane = $1 AND r.class = $2 AND r.priority = $3 AND r.not_before >= $4
          AND r.state = 'PENDING' AND r.parked = 0 AND r.not_before <= $5
    AND (r.serial = 0 OR (r.place IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM runs e
      WHERE e.job_id = r.job_id AND e.state IN ('PENDING', 'RUNNING') AND e.shard = -1
            AND (e.place, e.id) < (r.place, coalesce(r.parent_id, r.id)))))
    ORDER BY r.not_before, r.id LIMIT $6;

-- leasing/candidates.py TAKE_OF_KIND
    SELECT
    r.id, r.job_id, r.version, r.ver, r.attempt, r.deaths, r.lane, r.class, r.priority, r.not_before, r.shard, r.follow,
    r.due_at, r.assigned_to, r.assigned_until, r.params, r.checkpoint, r.reason
, CASE WHEN
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.job_id = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
 THEN 1 ELSE 0 END AS replaced FROM runs r
    WHERE r.lane = $1 AND r.class = $2 AND r.priority = $3 AND r.not_before >= $4
          AND r.state = 'PENDING' AND r.parked = 0 AND r.not_before <= $5
    AND (r.serial = 0 OR (r.place IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM runs e
      WHERE e.job_id = r.job_id AND e.state IN ('PENDING', 'RUNNING') AND e.shard = -1
            AND (e.place, e.id) < (r.place, coalesce(r.parent_id, r.id)))))
    ORDER BY r.not_before, r.id LIMIT $6
     FOR UPDATE SKIP LOCKED;

-- leasing/candidates.py PEEK_DOUBTING
SELECT f.lane, f.class, f.priority, f.not_before
    FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::bigint[], $4::text::bigint[], $5::text::bigint[]) AS k(lane, class, priority, low, n) CROSS JOIN LATERAL (
      SELECT r.lane, r.class, r.priority, r.not_before FROM runs r
      WHERE r.lane = k.lane AND r.class = k.class AND r.priority = k.priority AND r.not_before >= k.low
            AND r.state = 'PENDING' AND r.parked = 0 AND r.not_before <= $6
    AND (r.serial = 0 OR (r.place IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM runs e
      WHERE e.job_id = r.job_id AND e.state IN ('PENDING', 'RUNNING') AND e.shard = -1
            AND (e.place, e.id) < (r.place, coalesce(r.parent_id, r.id)))))
    AND (r.not_before <= $7 OR r.created_at > $8 OR (r.ver > 1 AND r.not_before >= $9))
      ORDER BY r.not_before, r.id LIMIT k.n
    ) f;

-- leasing/candidates.py LOOK_DOUBTING
SELECT r.*
    FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::bigint[], $4::text::bigint[], $5::text::bigint[]) AS k(lane, class, priority, low, n) CROSS JOIN LATERAL (
      SELECT
    r.id, r.job_id, r.version, r.ver, r.attempt, r.deaths, r.lane, r.class, r.priority, r.not_before, r.shard, r.follow,
    r.due_at, r.assigned_to, r.assigned_until, r.params, r.checkpoint, r.reason
, CASE WHEN
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.job_id = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
 THEN 1 ELSE 0 END AS replaced FROM runs r
      WHERE r.lane = k.lane AND r.class = k.class AND r.priority = k.priority AND r.not_before >= k.low
            AND r.state = 'PENDING' AND r.parked = 0 AND r.not_before <= $6
    AND (r.serial = 0 OR (r.place IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM runs e
      WHERE e.job_id = r.job_id AND e.state IN ('PENDING', 'RUNNING') AND e.shard = -1
            AND (e.place, e.id) < (r.place, coalesce(r.parent_id, r.id)))))
    AND (r.not_before <= $7 OR r.created_at > $8 OR (r.ver > 1 AND r.not_before >= $9))
      ORDER BY r.not_before, r.id LIMIT k.n
    ) r;

-- leasing/candidates.py TAKE_DOUBTING
SELECT r.*
    FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::bigint[], $4::text::bigint[], $5::text::bigint[]) AS k(lane, class, priority, low, n) CROSS JOIN LATERAL (
      SELECT
    r.id, r.job_id, r.version, r.ver, r.attempt, r.deaths, r.lane, r.class, r.priority, r.not_before, r.shard, r.follow,
    r.due_at, r.assigned_to, r.assigned_until, r.params, r.checkpoint, r.reason
, CASE WHEN
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.job_id = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
 THEN 1 ELSE 0 END AS replaced FROM runs r
      WHERE r.lane = k.lane AND r.class = k.class AND r.priority = k.priority AND r.not_before >= k.low
            AND r.state = 'PENDING' AND r.parked = 0 AND r.not_before <= $6
    AND (r.serial = 0 OR (r.place IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM runs e
      WHERE e.job_id = r.job_id AND e.state IN ('PENDING', 'RUNNING') AND e.shard = -1
            AND (e.place, e.id) < (r.place, coalesce(r.parent_id, r.id)))))
    AND (r.not_before <= $7 OR r.created_at > $8 OR (r.ver > 1 AND r.not_before >= $9))
      ORDER BY r.not_before, r.id LIMIT k.n
     FOR UPDATE SKIP LOCKED) r;

-- leasing/candidates.py LOOK_AT_KIND_DOUBTING
    SELECT
    r.id, r.job_id, r.version, r.ver, r.attempt, r.deaths, r.lane, r.class, r.priority, r.not_before, r.shard, r.follow,
    r.due_at, r.assigned_to, r.assigned_until, r.params, r.checkpoint, r.reason
, CASE WHEN
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.job_id = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
 THEN 1 ELSE 0 END AS replaced FROM runs r
    WHERE r.lane = $1 AND r.class = $2 AND r.priority = $3 AND r.not_before >= $4
          AND r.state = 'PENDING' AND r.parked = 0 AND r.not_before <= $5
    AND (r.serial = 0 OR (r.place IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM runs e
      WHERE e.job_id = r.job_id AND e.state IN ('PENDING', 'RUNNING') AND e.shard = -1
            AND (e.place, e.id) < (r.place, coalesce(r.parent_id, r.id)))))
    AND (r.not_before <= $6 OR r.created_at > $7 OR (r.ver > 1 AND r.not_before >= $8))
    ORDER BY r.not_before, r.id LIMIT $9;

-- leasing/candidates.py TAKE_OF_KIND_DOUBTING
    SELECT
    r.id, r.job_id, r.version, r.ver, r.attempt, r.deaths, r.lane, r.class, r.priority, r.not_before, r.shard, r.follow,
    r.due_at, r.assigned_to, r.assigned_until, r.params, r.checkpoint, r.reason
, CASE WHEN
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.job_id = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
 THEN 1 ELSE 0 END AS replaced FROM runs r
    WHERE r.lane = $1 AND r.class = $2 AND r.priority = $3 AND r.not_before >= $4
          AND r.state = 'PENDING' AND r.parked = 0 AND r.not_before <= $5
    AND (r.serial = 0 OR (r.place IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM runs e
      WHERE e.job_id = r.job_id AND e.state IN ('PENDING', 'RUNNING') AND e.shard = -1
            AND (e.place, e.id) < (r.place, coalesce(r.parent_id, r.id)))))
    AND (r.not_before <= $6 OR r.created_at > $7 OR (r.ver > 1 AND r.not_before >= $8))
    ORDER BY r.not_before, r.id LIMIT $9
     FOR UPDATE SKIP LOCKED;

-- leasing/fire_routes.py KEPT
SELECT c.job_id, c.route_state FROM cursors c WHERE c.job_id IN (SELECT d.job_id FROM unnest($1::text::bigint[]) AS d(job_id));

-- leasing/fitting_workers.py WORKERS
SELECT n.id, n.name, n.slots, n.weight, n.group_name, n.namespace, n.labels, n.load, n.band, n.until,
       coalesce(n.offer_hash, n.id) AS text_of, m.reap_after, m.last_tick_at, m.scopes_ver, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AS now
FROM nodes n JOIN store_meta m ON m.id = 1
WHERE n.state = 'live' AND n.kind <> 'server' AND m.maintenance_until <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint);

-- leasing/fitting_workers.py HANDLERS
SELECT n.id, n.handlers FROM nodes n WHERE n.id IN (SELECT d.id FROM unnest($1::text::text[]) AS d(id));

-- leasing/fitting_workers.py BUSY
   SELECT r.session_id, NULL, count(*) FROM runs r WHERE r.state = 'RUNNING' AND r.session_id > '' GROUP BY r.session_id
UNION ALL
   SELECT r.assigned_to, r.lane, count(*) FROM runs r WHERE r.state = 'PENDING' AND r.parked = 2 AND r.assigned_to > ''
   GROUP BY r.assigned_to, r.lane;

-- leasing/fitting_workers.py ASSIGNED_TO
SELECT r.assigned_to, count(*) FROM runs r WHERE r.state = 'PENDING' AND r.parked = 2 AND r.assigned_to > '' GROUP BY r.assigned_to;

-- leasing/fitting_workers.py OWN
SELECT r.job_id, r.session_id AS session, count(*) FROM runs r
WHERE r.state = 'RUNNING' AND r.session_id > '' AND r.job_id + 0 IN (SELECT d.job_id FROM unnest($1::text::bigint[]) AS d(job_id))
GROUP BY r.job_id, r.session_id
UNION ALL
SELECT r.job_id, r.assigned_to AS session, count(*) FROM runs r
WHERE r.state = 'PENDING' AND r.parked = 2 AND r.assigned_to > '*' AND r.job_id + 0 IN (SELECT d.job_id FROM unnest($1::text::bigint[]) AS d(job_id))
GROUP BY r.job_id, r.assigned_to;

-- leasing/key_limits.py USED
SELECT k.name, k.used FROM unnest($1::text::text[]) AS d(name) JOIN limit_keys k ON k.name = d.name;

-- leasing/key_limits.py LOCK_KEYS
SELECT k.name, k.used, k.spent_until FROM limit_keys k WHERE k.name IN (SELECT d.name FROM unnest($1::text::text[]) AS d(name))
ORDER BY k.name FOR UPDATE;

-- leasing/key_limits.py MAKE_KEYS
INSERT INTO limit_keys (name, job_id, said, used, pace_us, burst, ver)
SELECT d.name, d.job_id, d.said, 0, d.pace_us, d.burst, 1 FROM unnest($1::text::text[], $2::text::bigint[], $3::text::text[], $4::text::bigint[], $5::text::bigint[]) AS d(name, job_id, said, pace_us, burst) WHERE true ON CONFLICT DO NOTHING;

-- leasing/key_limits.py TAKE_KEYS
   UPDATE limit_keys SET used = limit_keys.used + d.n, ver = limit_keys.ver + 1,
          spent_until = CASE WHEN d.starts = 0 THEN limit_keys.spent_until ELSE
   CASE WHEN limit_keys.spent_until > $1
             AND limit_keys.spent_until <= $1 + d.burst * d.pace_us + 10000000
        THEN limit_keys.spent_until ELSE $1 END
+ d.starts * d.pace_us END,
          pace_us = d.pace_us, burst = d.burst
   FROM unnest($2::text::text[], $3::text::bigint[], $4::text::bigint[], $5::text::bigint[], $6::text::bigint[], $7::text::bigint[]) AS d(name, n, most, starts, pace_us, burst)
   WHERE limit_keys.name = d.name AND limit_keys.used + d.n <= d.most
         AND (d.starts = 0 OR
   CASE WHEN limit_keys.spent_until > $1
             AND limit_keys.spent_until <= $1 + d.burst * d.pace_us + 10000000
        THEN limit_keys.spent_until ELSE $1 END
+ d.starts * d.pace_us <= $1 + d.burst * d.pace_us);

-- leasing/key_limits.py GIVE_KEYS
UPDATE limit_keys SET used = CASE WHEN limit_keys.used > d.n THEN limit_keys.used - d.n ELSE 0 END,
       ver = limit_keys.ver + 1
FROM unnest($1::text::text[], $2::text::bigint[]) AS d(name, n) WHERE limit_keys.name = d.name;

-- leasing/key_limits.py PARK
UPDATE runs SET parked = 3, ver = runs.ver + 1, assigned_to = NULL, assigned_until = NULL FROM unnest($1::text::bigint[], $2::text::bigint[]) AS d(id, ver)
WHERE runs.id = d.id AND runs.ver = d.ver;

-- leasing/key_limits.py FORGET
DELETE FROM limit_runs WHERE run_id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id));

-- leasing/key_limits.py NOTE
INSERT INTO limit_runs (run_id, name, waits, turn) SELECT d.id, d.name, d.waits, d.turn FROM unnest($1::text::bigint[], $2::text::text[], $3::text::bigint[], $4::text::bigint[]) AS d(id, name, waits, turn);

-- leasing/key_limits.py HELD
SELECT h.run_id, h.name FROM limit_runs h WHERE h.waits = 0 AND h.run_id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id));

-- leasing/key_upkeep.py NAMES
SELECT name FROM limit_keys WHERE name > $1 ORDER BY name LIMIT $2;

-- leasing/key_upkeep.py LOCK_COUNTS
SELECT k.name, k.used, k.wake_at, k.pace_us, k.burst, k.ver FROM limit_keys k
WHERE k.name IN (SELECT d.name FROM unnest($1::text::text[]) AS d(name))
ORDER BY k.name FOR UPDATE;

-- leasing/key_upkeep.py HOLDING
SELECT h.name, count(*) FROM limit_runs h JOIN runs r ON r.id = h.run_id
WHERE h.name IN (SELECT d.name FROM unnest($1::text::text[]) AS d(name)) AND h.waits = 0 AND r.state = 'RUNNING' AND (r.follow & 2048) <> 0
GROUP BY h.name;

-- leasing/key_upkeep.py ON_WORKERS
SELECT r.job_id, r.session_id, count(*) FROM runs r
WHERE r.state = 'RUNNING' AND r.session_id > '' AND r.lease_id IS NOT NULL AND (r.follow & 4096) <> 0
GROUP BY r.job_id, r.session_id;

-- leasing/key_upkeep.py CORRECT
UPDATE limit_keys SET used = d.used, ver = limit_keys.ver + 1 FROM unnest($1::text::text[], $2::text::bigint[], $3::text::bigint[]) AS d(name, ver, used)
WHERE limit_keys.name = d.name AND limit_keys.ver = d.ver;

-- leasing/key_upkeep.py DROP_IDLE
DELETE FROM limit_keys
WHERE name IN (SELECT d.name FROM unnest($1::text::text[]) AS d(name)) AND used = 0 AND coalesce(wake_at, 0) = 0
      AND (spent_until IS NULL OR spent_until < $2);

-- leasing/key_waiters.py FIRST
SELECT d.name, (SELECT w.run_id FROM limit_runs w WHERE w.name = d.name AND w.waits = 1
                ORDER BY w.turn, w.run_id LIMIT 1)
FROM unnest($1::text::text[]) AS d(name);

-- leasing/key_waiters.py WAITERS
SELECT w.run_id FROM limit_runs w WHERE w.name = $1 AND w.waits = 1 ORDER BY w.turn, w.run_id LIMIT $2;

-- leasing/key_waiters.py PARKED_RUNS
SELECT r.id, r.ver FROM runs r
WHERE r.id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id)) AND r.state = 'PENDING' AND r.parked = 3
ORDER BY r.id FOR UPDATE SKIP LOCKED;

-- leasing/key_waiters.py STILL_PARKED
SELECT r.id FROM runs r
WHERE r.id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id)) AND r.state = 'PENDING' AND r.parked = 3;

-- leasing/key_waiters.py FORGET_WAITERS
DELETE FROM limit_runs
WHERE (run_id, name) IN (SELECT d.id, d.name FROM unnest($1::text::bigint[], $2::text::text[]) AS d(id, name)) AND waits = 1;

-- leasing/key_waiters.py SET_WAKE
UPDATE limit_keys SET wake_at = d.at, ver = limit_keys.ver + 1 FROM unnest($1::text::text[], $2::text::bigint[]) AS d(name, at) WHERE limit_keys.name = d.name;

-- leasing/key_waiters.py DUE_KEYS
SELECT k.name, k.used, k.pace_us, k.burst, k.spent_until FROM limit_keys k WHERE k.wake_at <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint)
ORDER BY k.wake_at, k.name LIMIT $1 FOR UPDATE SKIP LOCKED;

-- leasing/leased_runs.py REPEATED
SELECT r.session_id, r.request_no, r.id, r.job_id, r.version, r.attempt, r.lease_id, r.fence, r.leased_at, r.shard,
       r.follow, r.due_at, r.params, r.checkpoint, r.reason
FROM unnest($1::text::text[], $2::text::bigint[]) AS d(session, request_no) JOIN runs r ON r.session_id = d.session AND r.request_no = d.request_no AND r.state = 'RUNNING';

-- leasing/leases.py RAISE_FENCES
UPDATE cursors SET fence_seq = d.runs + CASE WHEN cursors.fence_seq < 1048576 THEN 1048576
                                             ELSE cursors.fence_seq END
FROM unnest($1::text::bigint[], $2::text::bigint[]) AS d(job_id, runs) WHERE cursors.job_id = d.job_id;

-- leasing/leases.py FENCES
SELECT c.job_id, c.fence_seq FROM cursors c WHERE c.job_id IN (SELECT d.job_id FROM unnest($1::text::bigint[]) AS d(job_id)) ORDER BY c.job_id;

-- leasing/leases.py LOCK_PICKED
SELECT s.id, s.ver FROM unnest($1::text::bigint[]) AS d(id) CROSS JOIN LATERAL (
  SELECT r.id, r.ver FROM runs r WHERE r.id = d.id AND r.state = 'PENDING' FOR UPDATE SKIP LOCKED) s;

-- leasing/leases.py LEASE
UPDATE runs SET state = 'RUNNING', ver = runs.ver + 1, attempt = runs.attempt + 1, lease_id = d.lease_id,
       session_id = d.session, request_no = d.request_no, fence = d.fence, leased_at = $1,
       deadline_at = d.deadline_at
FROM unnest($2::text::bigint[], $3::text::bigint[], $4::text::text[], $5::text::text[], $6::text::bigint[], $7::text::bigint[], $8::text::bigint[]) AS d(id, ver, lease_id, session, request_no, fence, deadline_at)
WHERE runs.id = d.id AND runs.ver = d.ver;

-- leasing/leases.py LEASE_ASSIGNED
UPDATE runs SET state = 'RUNNING', ver = runs.ver + 1, attempt = runs.attempt + 1, lease_id = d.lease_id,
       session_id = d.session, request_no = d.request_no, fence = d.fence, leased_at = $1,
       deadline_at = d.deadline_at, parked = 0, assigned_to = NULL, assigned_until = NULL
FROM unnest($2::text::bigint[], $3::text::bigint[], $4::text::text[], $5::text::text[], $6::text::bigint[], $7::text::bigint[], $8::text::bigint[]) AS d(id, ver, lease_id, session, request_no, fence, deadline_at)
WHERE runs.id = d.id AND runs.ver = d.ver;

-- leasing/leases.py LEASE_COUNTED
UPDATE runs SET state = 'RUNNING', ver = runs.ver + 1, attempt = runs.attempt + 1, lease_id = d.lease_id,
       session_id = d.session, request_no = d.request_no, fence = d.fence, leased_at = $1,
       deadline_at = d.deadline_at, parked = 0, assigned_to = NULL, assigned_until = NULL, follow = runs.follow | d.counted
FROM unnest($2::text::bigint[], $3::text::bigint[], $4::text::text[], $5::text::text[], $6::text::bigint[], $7::text::bigint[], $8::text::bigint[], $9::text::bigint[]) AS d(id, ver, lease_id, session, request_no, fence, deadline_at, counted)
WHERE runs.id = d.id AND runs.ver = d.ver;

-- leasing/leases.py LANE_JOBS
SELECT v.job_id, max(v.version) FROM job_versions v
WHERE v.lane_id IN (SELECT d.lane FROM unnest($1::text::bigint[]) AS d(lane)) OR v.merge_lane_id IN (SELECT d.lane FROM unnest($1::text::bigint[]) AS d(lane))
GROUP BY v.job_id;

-- leasing/limits.py ROOM
SELECT
    l.name, l.max, l.used, l.claim_lane, l.claim_rank, l.claim_until, l.pace_us, l.burst, l.spent_until
 FROM unnest($1::text::text[]) AS d(name) JOIN limits l ON l.name = d.name;

-- leasing/limits.py LOCK
   SELECT
   l.name, l.max, l.used, l.claim_lane, l.claim_rank, l.claim_until, l.pace_us, l.burst, l.spent_until
FROM limits l WHERE l.name IN (SELECT d.name FROM unnest($1::text::text[]) AS d(name))
   ORDER BY l.name FOR UPDATE;

-- leasing/limits.py TAKE
   UPDATE limits SET used = limits.used + d.n, ver = limits.ver + 1,
          spent_until = CASE WHEN limits.pace_us IS NULL THEN limits.spent_until
                             ELSE
   CASE WHEN limits.spent_until > $1
             AND limits.spent_until <= $1 + limits.burst * limits.pace_us + 10000000
        THEN limits.spent_until ELSE $1 END
+ d.starts * limits.pace_us END
   FROM unnest($2::text::text[], $3::text::bigint[], $4::text::bigint[]) AS d(name, n, starts)
   WHERE limits.name = d.name AND limits.used + d.n <= limits.max
         AND (limits.pace_us IS NULL
              OR
   CASE WHEN limits.spent_until > $1
             AND limits.spent_until <= $1 + limits.burst * limits.pace_us + 10000000
        THEN limits.spent_until ELSE $1 END
+ d.starts * limits.pace_us <= $1 + limits.burst * limits.pace_us);

-- leasing/limits.py CLAIM
UPDATE limits SET claim_lane = d.lane, claim_rank = d.rank, claim_until = d.until FROM unnest($1::text::text[], $2::text::bigint[], $3::text::bigint[], $4::text::bigint[]) AS d(name, lane, rank, until)
WHERE limits.name = d.name AND (limits.claim_until IS NULL OR limits.claim_until <= $5
                                OR limits.claim_lane = d.lane OR limits.claim_rank > d.rank);

-- leasing/limits.py UNCLAIM
UPDATE limits SET claim_lane = NULL, claim_rank = NULL, claim_until = NULL FROM unnest($1::text::text[], $2::text::bigint[]) AS d(name, lane)
WHERE limits.name = d.name AND limits.claim_lane = d.lane;

-- leasing/limits.py GIVE
UPDATE limits SET used = CASE WHEN limits.used > d.n THEN limits.used - d.n ELSE 0 END, ver = limits.ver + 1
FROM unnest($1::text::text[], $2::text::bigint[]) AS d(name, n) WHERE limits.name = d.name;

-- leasing/limits.py MAKE
INSERT INTO limits (name, max, used, ver, namespace)
SELECT d.name, d.max, 0, 1, d.namespace FROM unnest($1::text::text[], $2::text::bigint[], $3::text::text[]) AS d(name, max, namespace) WHERE true ON CONFLICT DO NOTHING;

-- leasing/limits.py SET_MAX
UPDATE limits SET max = d.max, ver = limits.ver + 1 FROM unnest($1::text::text[], $2::text::bigint[]) AS d(name, max)
WHERE limits.name = d.name AND limits.max <> d.max;

-- leasing/limits.py SET_RATE
UPDATE limits SET rate = $1, rate_per_us = $2, pace_us = $3, burst = $4, ver = ver + 1
WHERE name = $5;

-- leasing/limits.py MAXIMA
SELECT l.name, l.max FROM limits l WHERE l.name IN (SELECT d.name FROM unnest($1::text::text[]) AS d(name)) ORDER BY l.name FOR UPDATE;

-- leasing/limits.py SHARED
SELECT limits.name FROM unnest($1::text::text[]) AS d(name) JOIN limits ON limits.name = d.name;

-- leasing/limits.py NAMES
SELECT name FROM limits WHERE name > $1 ORDER BY name LIMIT $2;

-- leasing/limits.py LOCK_COUNTS
SELECT l.name, l.used, l.ver FROM limits l WHERE l.name IN (SELECT d.name FROM unnest($1::text::text[]) AS d(name))
ORDER BY l.name FOR UPDATE;

-- leasing/limits.py RUNNING
SELECT r.lane, r.follow & 7682, count(*) FROM runs r WHERE r.state = 'RUNNING' AND r.session_id > ''
       AND r.lease_id IS NOT NULL AND r.lane IN (SELECT d.lane FROM unnest($1::text::bigint[]) AS d(lane))
GROUP BY r.lane, r.follow & 7682;

-- leasing/limits.py CORRECT
UPDATE limits SET used = d.used, ver = limits.ver + 1 FROM unnest($1::text::text[], $2::text::bigint[], $3::text::bigint[]) AS d(name, ver, used)
WHERE limits.name = d.name AND limits.ver = d.ver;

-- leasing/merge_input.py PARENTS
SELECT r.id, r.parent_id FROM runs r WHERE r.id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id));

-- leasing/merge_input.py SIZES
SELECT r.parent_id, sum(coalesce(length(r.result), 4) + 1) FROM runs r
WHERE r.parent_id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id)) AND r.shard >= 0 GROUP BY r.parent_id;

-- leasing/merge_input.py RESULTS
SELECT r.parent_id, r.result FROM runs r
WHERE r.parent_id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id)) AND r.shard >= 0 ORDER BY r.parent_id, r.shard;

-- leasing/run_kinds.py LOOK_AROUND
    WITH RECURSIVE walk AS (
      SELECT f.lane, f.class, f.priority, g.to_lane, g.to_class, g.to_priority FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::bigint[], $4::text::bigint[], $5::text::bigint[], $6::text::bigint[]) AS g(from_lane, from_class, from_priority, to_lane, to_class, to_priority) CROSS JOIN LATERAL (
        SELECT r.lane, r.class, r.priority FROM runs r
        WHERE r.state = 'PENDING' AND r.parked = 0
              AND (r.lane, r.class, r.priority) > (g.from_lane, g.from_class, g.from_priority)
              AND (r.lane, r.class, r.priority) < (g.to_lane, g.to_class, g.to_priority)
        ORDER BY r.lane, r.class, r.priority LIMIT 1) f
      UNION ALL
      SELECT f.lane, f.class, f.priority, w.to_lane, w.to_class, w.to_priority FROM walk w CROSS JOIN LATERAL (
        SELECT r.lane, r.class, r.priority FROM runs r
        WHERE r.state = 'PENDING' AND r.parked = 0
              AND (r.lane, r.class, r.priority) > (w.lane, w.class, w.priority)
              AND (r.lane, r.class, r.priority) < (w.to_lane, w.to_class, w.to_priority)
        ORDER BY r.lane, r.class, r.priority LIMIT 1) f
    )
    SELECT s.id, n.state, CASE WHEN n.until >= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) THEN 1 ELSE 0 END, m.epoch, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), n.offer_hash, n.band,
           n.until, m.reap_after, m.last_tick_at, m.maintenance_until, m.scopes_ver
, NULL, NULL, NULL FROM store_meta m CROSS JOIN unnest($7::text::text[]) AS s(id) LEFT JOIN nodes n ON n.id = s.id WHERE m.id = 1
    UNION ALL (SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, lane, class, priority FROM walk LIMIT $8);

-- leasing/run_kinds.py PRESENT
   WITH RECURSIVE walk AS (
     SELECT f.lane, f.class, f.priority, g.to_lane, g.to_class, g.to_priority FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::bigint[], $4::text::bigint[], $5::text::bigint[], $6::text::bigint[]) AS g(from_lane, from_class, from_priority, to_lane, to_class, to_priority) CROSS JOIN LATERAL (
       SELECT r.lane, r.class, r.priority FROM runs r
       WHERE r.state = 'PENDING' AND r.parked = 0
             AND (r.lane, r.class, r.priority) > (g.from_lane, g.from_class, g.from_priority)
             AND (r.lane, r.class, r.priority) < (g.to_lane, g.to_class, g.to_priority)
       ORDER BY r.lane, r.class, r.priority LIMIT 1) f
     UNION ALL
     SELECT f.lane, f.class, f.priority, w.to_lane, w.to_class, w.to_priority FROM walk w CROSS JOIN LATERAL (
       SELECT r.lane, r.class, r.priority FROM runs r
       WHERE r.state = 'PENDING' AND r.parked = 0
             AND (r.lane, r.class, r.priority) > (w.lane, w.class, w.priority)
             AND (r.lane, r.class, r.priority) < (w.to_lane, w.to_class, w.to_priority)
       ORDER BY r.lane, r.class, r.priority LIMIT 1) f
   )
SELECT lane, class, priority FROM walk LIMIT $7;

-- leasing/run_kinds.py ASKING
   SELECT s.id, n.state, CASE WHEN n.until >= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) THEN 1 ELSE 0 END, m.epoch, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), n.offer_hash, n.band,
          n.until, m.reap_after, m.last_tick_at, m.maintenance_until, m.scopes_ver
FROM store_meta m CROSS JOIN unnest($1::text::text[]) AS s(id) LEFT JOIN nodes n ON n.id = s.id WHERE m.id = 1;

-- leasing/run_kinds.py PRESENT_NEXT
SELECT r.lane, r.class, r.priority FROM runs r
WHERE r.state = 'PENDING' AND r.parked = 0 AND (r.lane, r.class, r.priority) > ($1, $2, $3)
ORDER BY r.lane, r.class, r.priority LIMIT 1;

-- leasing/scopes.py SCOPES
SELECT name FROM limits WHERE (name > 'grp:' AND name < 'grp;') OR (name > 'ns:' AND name < 'ns;');

-- leasing/scopes.py CHANGED
UPDATE store_meta SET scopes_ver = scopes_ver + 1 WHERE id = 1;

-- leasing/scopes.py UNCOUNTED
SELECT r.id, r.lease_id, d.bit FROM runs r JOIN unnest($1::text::bigint[], $2::text::bigint[]) AS d(lane, bit) ON d.lane = r.lane
WHERE r.state = 'RUNNING' AND r.session_id > '' AND r.lease_id IS NOT NULL AND (r.follow & d.bit) = 0;

-- leasing/scopes.py LOCK
SELECT r.id FROM runs r WHERE r.id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id)) ORDER BY r.id FOR UPDATE;

-- leasing/scopes.py COUNT_IN
UPDATE runs SET follow = runs.follow | d.bits, ver = runs.ver + 1 FROM unnest($1::text::bigint[], $2::text::text[], $3::text::bigint[]) AS d(id, lease_id, bits)
WHERE runs.id = d.id AND runs.lease_id = d.lease_id;

-- leasing/unassigned.py UNASSIGNED.every
   SELECT f.* FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::bigint[], $4::text::bigint[]) AS k(lane, class, priority, n) CROSS JOIN LATERAL (
     SELECT
   r.id, r.ver, r.job_id, r.version, r.fire_key, r.shard, r.attempt, r.lane, r.class, r.priority, r.not_before,
   r.params, r.assigned_before, r.follow, r.session_id
FROM runs r
     WHERE r.lane = k.lane AND r.class = k.class AND r.priority = k.priority AND r.state = 'PENDING' AND r.parked = 0 AND r.not_before <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint)
     ORDER BY r.not_before, r.id LIMIT k.n) f;

-- leasing/unassigned.py UNASSIGNED.each
   SELECT
   r.id, r.ver, r.job_id, r.version, r.fire_key, r.shard, r.attempt, r.lane, r.class, r.priority, r.not_before,
   r.params, r.assigned_before, r.follow, r.session_id
FROM runs r
   WHERE r.lane = $1 AND r.class = $2 AND r.priority = $3 AND r.state = 'PENDING' AND r.parked = 0 AND r.not_before <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint)
   ORDER BY r.not_before, r.id LIMIT $4;

-- leasing/unassigned.py UNASSIGNED_DOUBTING.every
   SELECT f.* FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::bigint[], $4::text::bigint[]) AS k(lane, class, priority, n) CROSS JOIN LATERAL (
     SELECT
   r.id, r.ver, r.job_id, r.version, r.fire_key, r.shard, r.attempt, r.lane, r.class, r.priority, r.not_before,
   r.params, r.assigned_before, r.follow, r.session_id
FROM runs r
     WHERE r.lane = k.lane AND r.class = k.class AND r.priority = k.priority AND r.state = 'PENDING' AND r.parked = 0 AND r.not_before <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint)
   AND (r.not_before <= $5 OR r.created_at > $6 OR (r.ver > 1 AND r.not_before >= $7))
     ORDER BY r.not_before, r.id LIMIT k.n) f;

-- leasing/unassigned.py UNASSIGNED_DOUBTING.each
   SELECT
   r.id, r.ver, r.job_id, r.version, r.fire_key, r.shard, r.attempt, r.lane, r.class, r.priority, r.not_before,
   r.params, r.assigned_before, r.follow, r.session_id
FROM runs r
   WHERE r.lane = $1 AND r.class = $2 AND r.priority = $3 AND r.state = 'PENDING' AND r.parked = 0 AND r.not_before <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint)
   AND (r.not_before <= $4 OR r.created_at > $5 OR (r.ver > 1 AND r.not_before >= $6))
   ORDER BY r.not_before, r.id LIMIT $7;

-- leasing/unassigned.py WAITING
SELECT l.lane, (SELECT 1 FROM runs r WHERE r.lane = l.lane AND r.state = 'PENDING' AND r.parked = 0 LIMIT 1)
FROM unnest($1::text::bigint[]) AS l(lane);

-- leasing/unreadable.py PUT_OFF
UPDATE runs SET not_before = $1, ver = runs.ver + 1 FROM unnest($2::text::bigint[], $3::text::bigint[]) AS d(id, ver)
WHERE runs.id = d.id AND runs.ver = d.ver;

-- locking/decisions.py DRAW
UPDATE locks SET token = locks.token + 1, used_at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) FROM unnest($1::text::bigint[]) AS d(id) WHERE locks.id = d.id;

-- locking/decisions.py IN_ORDER
SELECT l.id FROM locks l WHERE l.id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id)) ORDER BY l.id FOR UPDATE;

-- locking/decisions.py MAKE
INSERT INTO locks (namespace, name, token, used_at)
SELECT d.namespace, d.name, coalesce((SELECT f.token FROM locks f WHERE f.namespace = '' AND f.name = ''), 0), CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint)
FROM unnest($1::text::text[], $2::text::text[]) AS d(namespace, name) WHERE true ON CONFLICT DO NOTHING;

-- locking/decisions.py RAISE
UPDATE locks SET token = d.drawn FROM unnest($1::text::bigint[], $2::text::bigint[]) AS d(id, drawn) WHERE locks.id = d.id;

-- locking/decisions.py CLAIMS
   SELECT
   l.id AS of_lock, l.token AS drawn, l.used_at AS drawn_at,
   (SELECT CASE WHEN m.clock_suspect = 1 OR m.reap_after > CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) THEN 1 ELSE 0 END FROM store_meta m WHERE m.id = 1)
AS doubt,
   (SELECT m.epoch FROM store_meta m WHERE m.id = 1) AS epoch, c.id, c.lock_id, c.place, c.most, c.owner, c.until,
   c.token, c.broken, c.asked_at, c.line, c.session_id
FROM locks l LEFT JOIN lock_claims c ON c.lock_id = l.id WHERE l.id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id));

-- locking/decisions.py GRANT
UPDATE lock_claims SET token = d.drawn, granted_at = $1, until = $1 + lock_claims.ttl_us
FROM unnest($2::text::text[], $3::text::bigint[]) AS d(id, drawn) WHERE lock_claims.id = d.id AND lock_claims.token IS NULL AND lock_claims.broken IS NULL;

-- locking/decisions.py EXPIRE
DELETE FROM lock_claims WHERE id IN (SELECT d.id FROM unnest($1::text::text[]) AS d(id)) AND until <= $2;

-- locking/decisions.py DROP
DELETE FROM lock_claims WHERE id IN (SELECT d.id FROM unnest($1::text::text[]) AS d(id));

-- locking/reads.py LOOK
SELECT c.id, c.token, c.broken, c.ttl_us FROM lock_claims c WHERE c.id IN (SELECT d.id FROM unnest($1::text::text[]) AS d(id));

-- locking/reads.py WAITS
SELECT c.id, c.lock_id, c.place, c.most, c.owner, c.until, c.token, c.broken, c.asked_at, c.made_by, c.run_id,
       l.namespace, l.name, j.name AS job
FROM lock_claims c JOIN locks l ON l.id = c.lock_id
     LEFT JOIN runs r ON r.id = c.run_id LEFT JOIN jobs j ON j.id = r.job_id
WHERE c.lock_id IN (SELECT w.lock_id FROM lock_claims w WHERE w.token IS NULL)
ORDER BY c.lock_id, c.place LIMIT $1;

-- locking/reads.py PAGE
   SELECT l.id, l.namespace, l.name, l.token FROM locks l
   WHERE (l.namespace > $1 OR l.namespace = $1 AND l.name > $2)
     AND EXISTS (SELECT 1 FROM lock_claims c WHERE c.lock_id = l.id)
ORDER BY l.namespace, l.name LIMIT $3;

-- locking/reads.py PAGE_IN
   SELECT l.id, l.namespace, l.name, l.token FROM locks l
   WHERE (l.namespace > $1 OR l.namespace = $1 AND l.name > $2)
     AND EXISTS (SELECT 1 FROM lock_claims c WHERE c.lock_id = l.id)
AND l.namespace = $3 ORDER BY l.namespace, l.name LIMIT $4;

-- locking/reads.py ONE
SELECT l.id, l.namespace, l.name, l.token FROM locks l WHERE l.namespace = $1 AND l.name = $2;

-- locking/reads.py SHOWN
SELECT c.id, c.lock_id, c.most, c.token, c.made_by, c.line, c.run_id, j.name AS job, n.name AS node, c.asked_at,
       c.granted_at, c.until
FROM lock_claims c LEFT JOIN runs r ON r.id = c.run_id LEFT JOIN jobs j ON j.id = r.job_id
     LEFT JOIN nodes n ON n.id = c.session_id
WHERE c.lock_id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id)) ORDER BY c.lock_id, c.place;

-- locking/reads.py AWAITED
SELECT l.id, l.namespace, l.name, l.token FROM locks l
WHERE l.id IN (SELECT c.lock_id FROM lock_claims c
               WHERE c.session_id = (SELECT r.session_id FROM runs r WHERE r.id = $1)
                 AND c.run_id = $1 AND c.token IS NULL AND c.broken IS NULL)
ORDER BY l.name;

-- locking/reads.py ORDERS
SELECT DISTINCT a.name AS first, b.name AS after, w.run_id, j.name AS job, w.made_by
FROM lock_claims w JOIN lock_claims h ON h.session_id = w.session_id
          AND h.owner = w.owner AND h.lock_id <> w.lock_id
     JOIN locks a ON a.id = h.lock_id JOIN locks b ON b.id = w.lock_id
     LEFT JOIN runs r ON r.id = w.run_id LEFT JOIN jobs j ON j.id = r.job_id
WHERE w.token IS NULL AND w.broken IS NULL AND h.token IS NOT NULL
  AND (a.namespace = $1 AND a.name = $2 OR b.namespace = $1 AND b.name = $2)
ORDER BY a.name, b.name, w.run_id LIMIT $3;

-- locking/steps.py HOMES
SELECT d.lease_id, j.namespace FROM unnest($1::text::bigint[], $2::text::text[], $3::text::text[]) AS d(run_id, lease_id, session) JOIN runs r ON r.id = d.run_id JOIN jobs j ON j.id = r.job_id
WHERE r.lease_id = d.lease_id AND r.session_id = d.session;

-- locking/steps.py WHERE
SELECT c.id, l.namespace, l.name FROM unnest($1::text::text[]) AS d(id) JOIN lock_claims c ON c.id = d.id JOIN locks l ON l.id = c.lock_id;

-- locking/steps.py FIND
SELECT l.namespace, l.name FROM unnest($1::text::text[], $2::text::text[]) AS d(namespace, name) JOIN locks l ON l.namespace = d.namespace AND l.name = d.name;

-- locking/steps.py TAKE
SELECT l.namespace, l.name FROM locks l
WHERE (l.namespace, l.name) IN (SELECT d.namespace, d.name FROM unnest($1::text::text[], $2::text::text[]) AS d(namespace, name)) ORDER BY l.id FOR UPDATE;

-- locking/steps.py TAKE_FREE
SELECT l.namespace, l.name FROM locks l
WHERE (l.namespace, l.name) IN (SELECT d.namespace, d.name FROM unnest($1::text::text[], $2::text::text[]) AS d(namespace, name)) ORDER BY l.id FOR UPDATE SKIP LOCKED;

-- locking/steps.py DRAW_NAMED
UPDATE locks SET token = locks.token + d.numbers, used_at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint)
FROM unnest($1::text::text[], $2::text::text[], $3::text::bigint[]) AS d(namespace, name, numbers) WHERE locks.namespace = d.namespace AND locks.name = d.name;

-- locking/steps.py CLAIMS_NAMED
   SELECT 0 AS asked_for, l.namespace, l.name,
   l.id AS of_lock, l.token AS drawn, l.used_at AS drawn_at,
   (SELECT CASE WHEN m.clock_suspect = 1 OR m.reap_after > CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) THEN 1 ELSE 0 END FROM store_meta m WHERE m.id = 1)
AS doubt,
   (SELECT m.epoch FROM store_meta m WHERE m.id = 1) AS epoch, c.id, c.lock_id, c.place, c.most, c.owner, c.until,
   c.token, c.broken, c.asked_at, c.line, c.session_id
FROM unnest($1::text::text[], $2::text::text[]) AS d(namespace, name) JOIN locks l ON l.namespace = d.namespace AND l.name = d.name LEFT JOIN lock_claims c ON c.lock_id = l.id
   UNION ALL
   SELECT count(*), '', x.line, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM lock_claims x
   WHERE x.session_id IS NULL AND x.line IN (SELECT p.line FROM unnest($3::text::text[]) AS p(line)) GROUP BY x.line
   UNION ALL
   SELECT count(*), y.session_id, '', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM lock_claims y
   WHERE y.session_id IN (SELECT w.session FROM unnest($4::text::text[]) AS w(session)) GROUP BY y.session_id;

-- locking/steps.py CLAIM
INSERT INTO lock_claims (id, lock_id, place, most, owner, until, token, ttl_us, asked_at, granted_at,
                             session_id, run_id, lease_id, line, made_by)
SELECT d.id, d.lock_id, d.place, d.most, d.owner, d.until, d.token, d.ttl_us, d.asked_at, d.granted_at,
       d.session_id, d.run_id, d.lease_id, d.line, d.made_by
FROM unnest($1::text::text[], $2::text::bigint[], $3::text::bigint[], $4::text::bigint[], $5::text::text[], $6::text::bigint[], $7::text::bigint[], $8::text::bigint[], $9::text::bigint[], $10::text::bigint[], $11::text::text[], $12::text::bigint[], $13::text::text[], $14::text::text[], $15::text::text[]) AS d(id, lock_id, place, most, owner, until, token, ttl_us, asked_at, granted_at, session_id, run_id, lease_id, line, made_by) WHERE true ON CONFLICT DO NOTHING;

-- locking/steps.py UNTIL
UPDATE lock_claims
SET until = CASE WHEN lock_claims.until > d.wanted_until THEN lock_claims.until ELSE d.wanted_until END,
    ttl_us = CASE WHEN lock_claims.ttl_us > d.wanted_ttl_us THEN lock_claims.ttl_us ELSE d.wanted_ttl_us END
FROM unnest($1::text::text[], $2::text::bigint[], $3::text::bigint[]) AS d(id, wanted_until, wanted_ttl_us) WHERE lock_claims.id = d.id AND lock_claims.until > $4;

-- locking/store.py RENEW
   UPDATE lock_claims SET until = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) + lock_claims.ttl_us
   FROM unnest($1::text::text[]) AS d(id) WHERE lock_claims.id = d.id AND lock_claims.token IS NOT NULL AND (lock_claims.until > CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) OR
   (SELECT CASE WHEN m.clock_suspect = 1 OR m.reap_after > CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) THEN 1 ELSE 0 END FROM store_meta m WHERE m.id = 1)
= 1) AND lock_claims.line = $2 AND coalesce(lock_claims.session_id, '') = $3;

-- locking/store.py HELD
   SELECT lock_claims.id FROM lock_claims
   WHERE lock_claims.id IN (SELECT d.id FROM unnest($1::text::text[]) AS d(id)) AND lock_claims.token IS NOT NULL AND (lock_claims.until > CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) OR
   (SELECT CASE WHEN m.clock_suspect = 1 OR m.reap_after > CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) THEN 1 ELSE 0 END FROM store_meta m WHERE m.id = 1)
= 1) AND lock_claims.line = $2 AND coalesce(lock_claims.session_id, '') = $3;

-- locking/store.py UNDER_TOKEN
SELECT c.id, c.lock_id FROM locks l JOIN lock_claims c ON c.lock_id = l.id
WHERE l.namespace = $1 AND l.name = $2 AND c.token = $3;

-- locking/store.py BREAK
UPDATE lock_claims SET broken = d.cycle FROM unnest($1::text::text[], $2::text::text[]) AS d(id, cycle) WHERE lock_claims.id = d.id;

-- locking/store.py ENDED
   SELECT c.id, c.lock_id, CASE WHEN c.token IS NOT NULL AND c.until > CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) + c.ttl_us THEN 1 ELSE 0 END AS far,
          CASE WHEN r.id IS NULL AND c.run_id IS NOT NULL OR c.run_id IS NOT NULL AND r.lease_id IS NULL
                    OR r.lease_id <> c.lease_id OR c.session_id IS NOT NULL AND n.id IS NULL OR n.state = 'dead'
               THEN 2
               WHEN c.until <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AND
   (SELECT CASE WHEN m.clock_suspect = 1 OR m.reap_after > CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) THEN 1 ELSE 0 END FROM store_meta m WHERE m.id = 1)
= 0 THEN 1 ELSE 0 END AS fate
   FROM lock_claims c LEFT JOIN runs r ON r.id = c.run_id LEFT JOIN nodes n ON n.id = c.session_id
   WHERE c.token IS NULL OR c.until <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AND
   (SELECT CASE WHEN m.clock_suspect = 1 OR m.reap_after > CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) THEN 1 ELSE 0 END FROM store_meta m WHERE m.id = 1)
= 0 OR CASE WHEN c.token IS NOT NULL AND c.until > CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) + c.ttl_us THEN 1 ELSE 0 END = 1
      OR r.id IS NULL AND c.run_id IS NOT NULL OR c.run_id IS NOT NULL AND r.lease_id IS NULL
      OR r.lease_id <> c.lease_id OR c.session_id IS NOT NULL AND n.id IS NULL OR n.state = 'dead'
   ORDER BY fate DESC, c.lock_id LIMIT $1;

-- locking/store.py CLAMP
UPDATE lock_claims SET until = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) + lock_claims.ttl_us
FROM unnest($1::text::text[]) AS d(id)
WHERE lock_claims.id = d.id AND lock_claims.token IS NOT NULL AND lock_claims.until > CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) + lock_claims.ttl_us;

-- locking/store.py IDLE
SELECT l.id, l.token FROM locks l
WHERE l.used_at < $1 AND l.name <> '' AND NOT EXISTS (SELECT 1 FROM lock_claims c WHERE c.lock_id = l.id)
ORDER BY l.used_at LIMIT $2;

-- locking/store.py KEEP_HIGHEST
UPDATE locks SET token = $1, used_at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) WHERE namespace = '' AND name = '' AND token < $1;

-- locking/store.py FORGET
DELETE FROM locks WHERE id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id)) AND used_at < $2;

-- node_store.py REGISTER
INSERT INTO nodes (id, name, kind, state, until, started_at, last_beat_at, beat_no, settled, group_name, slots,
                       version, protocol, host, pid, labels, handlers, namespace, owner, offer_bytes,
                       offer_hash, code, kinds, begun_at, asked_at, address, drills, role, weight)
SELECT d.id, d.name, d.kind, 'live', CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) + $1, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), 0, 0, d.group_name, d.slots,
       d.version, d.protocol, d.host, d.pid, d.labels, d.handlers, d.namespace, d.owner, d.offer_bytes,
       d.offer_hash, d.code, d.kinds, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - d.up_us, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) - d.asked_us_ago, d.address, d.drills, d.role,
       d.weight
FROM unnest($2::text::text[], $3::text::text[], $4::text::text[], $5::text::text[], $6::text::bigint[], $7::text::text[], $8::text::bigint[], $9::text::text[], $10::text::bigint[], $11::text::text[], $12::text::text[], $13::text::text[], $14::text::text[], $15::text::bigint[], $16::text::text[], $17::text::text[], $18::text::text[], $19::text::bigint[], $20::text::bigint[], $21::text::text[], $22::text::text[], $23::text::text[], $24::text::bigint[]) AS d(id, name, kind, group_name, slots, version, protocol, host, pid, labels, handlers, namespace, owner, offer_bytes, offer_hash, code, kinds, up_us, asked_us_ago, address, drills, role, weight) WHERE true
ON CONFLICT DO NOTHING;

-- node_store.py REGISTER_AGAIN
UPDATE nodes SET offers_at = CASE WHEN offer_hash = $1 AND labels = $2 THEN offers_at ELSE CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) END,
                 until = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) + $3, slots = $4, version = $5, labels = $2, handlers = $6,
                 offer_bytes = $7, offer_hash = $1, code = $8, kinds = $9,
                 weight = $10
WHERE id = $11 AND kind = $12 AND state <> 'dead'
      AND coalesce(owner, '') = $13;

-- node_store.py WHOSE
SELECT kind, owner FROM nodes WHERE id = $1;

-- node_store.py LIVE
SELECT count(*) FROM nodes WHERE state IN ('live', 'draining');

-- node_store.py LIVE_OF
SELECT count(*) FROM nodes WHERE state IN ('live', 'draining') AND kind = 'worker' AND owner = $1;

-- node_store.py OFFERED_BY
SELECT offer_hash, max(offer_bytes) AS bytes, sum(CASE WHEN id = $1 THEN 0 ELSE 1 END) AS others FROM nodes
WHERE state IN ('live', 'draining') AND kind = 'worker' AND owner = $2 AND offer_bytes > $3
GROUP BY offer_hash;

-- node_store.py IS_OFFERED_BY
SELECT 1 FROM nodes
WHERE state IN ('live', 'draining') AND kind = 'worker' AND owner = $1 AND offer_hash = $2
LIMIT 1;

-- node_store.py ADOPT
UPDATE nodes SET owner = $1 WHERE id = $2 AND kind = 'worker' AND owner IS NULL;

-- node_store.py HELLO
SELECT id, name, group_name, slots, handlers, labels, version, protocol, pid, host, namespace, owner, offer_hash,
       weight
FROM nodes
WHERE id = $1 AND kind = 'worker' AND state <> 'dead';

-- node_store.py ADDRESSES
SELECT DISTINCT address FROM nodes
WHERE state = 'live' AND until >= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AND kind = 'server' AND address IS NOT NULL
      AND coalesce(role, 'active') = 'active'
ORDER BY address LIMIT 32;

-- node_store.py UNDRAIN
UPDATE nodes SET state = 'live', drained_by = NULL, draining_at = NULL WHERE id = $1 AND state = 'draining' AND drained_by IS NOT NULL;

-- node_store.py LEFT
SELECT r.id, r.lease_id, r.request_no, r.started_at, n.progress
FROM nodes n JOIN runs r ON r.session_id = n.id AND r.state = 'RUNNING'
WHERE n.id = $1 ORDER BY r.id LIMIT $2;

-- node_store.py LEAVE
UPDATE nodes SET state = 'dead', ended_at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), settled = $1 WHERE id = $2 AND state <> 'dead';

-- people/cluster_reads.py NODES
SELECT n.id, n.name, n.kind, n.state, n.until, n.started_at, n.last_beat_at, n.ended_at, n.group_name, n.slots,
       n.version, n.host, n.pid, n.wall_offset_us, n.labels, n.load, n.drained_by, n.namespace, listed.text_of,
       n.protocol, n.address, n.band, n.band_at, n.begun_at, n.asked_at, n.ready_at, n.draining_at, n.drills,
       n.role, n.role_at, n.weight, n.band_cause,
       speaker.handlers, stated.stated, coalesce(held.runs, 0) AS running
FROM (
  SELECT n.id, coalesce(n.offer_hash, n.id) AS text_of, row_number() OVER (PARTITION BY coalesce(n.offer_hash, n.id) ORDER BY n.id) AS nth
  FROM (SELECT id, offer_hash FROM nodes WHERE state <> 'dead' OR ended_at >= $1
        ORDER BY kind, name, started_at LIMIT 5000) n
) listed
JOIN nodes n ON n.id = listed.id
LEFT JOIN nodes speaker ON speaker.id = listed.id AND listed.nth = 1
LEFT JOIN worker_kinds stated ON stated.hash = speaker.kinds
LEFT JOIN (SELECT r.session_id, count(*) AS runs FROM runs r
           WHERE r.state = 'RUNNING' AND r.session_id > '' GROUP BY r.session_id) held ON held.session_id = n.id
ORDER BY n.kind, n.name, n.started_at;

-- people/cluster_reads.py CLUSTER
SELECT CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AS now, m.epoch, m.clock_suspect, m.clock_ahead_us, l.holder_session, l.term, l.until, n.name,
       maintenance_until, maintenance_at, maintenance_by, maintenance_reason,
       (SELECT count(*) FROM (SELECT 1 AS one FROM runs WHERE state = 'PENDING' AND parked = 0  LIMIT 10001) q) AS queue,
       (SELECT min(q.not_before) FROM (SELECT not_before FROM runs WHERE state = 'PENDING' AND parked = 0
                                       LIMIT 10001) q) AS oldest_ready_at,
       (SELECT count(*) FROM (SELECT 1 AS one FROM runs WHERE state = 'PENDING' AND parked = 2 AND assigned_to > '' LIMIT 10001) q) AS assigned,
       (SELECT min(q.not_before) FROM (SELECT not_before FROM runs WHERE state = 'PENDING' AND parked = 2 AND assigned_to > ''
                                       LIMIT 10001) q) AS oldest_assigned_at,
       (SELECT count(*) FROM (SELECT 1 AS one FROM runs WHERE state = 'RUNNING'
                              LIMIT 10001) q) AS running,
       (SELECT c.next_at FROM cursors c WHERE c.next_at <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) ORDER BY c.next_at LIMIT 1) AS overdue_at
FROM store_meta m JOIN leases l ON l.name = 'leader' LEFT JOIN nodes n ON n.id = l.holder_session
WHERE m.id = 1;

-- people/cluster_reads.py ELECTED
SELECT at FROM events WHERE event_key = $1;

-- people/days.py ENDED
SELECT w.due_at / $1 AS quarter, w.state, count(*) AS runs FROM (
  SELECT q.due_at, q.state, q.shard, q.parent_id, q.follow FROM runs q
  WHERE q.job_id = $2 ORDER BY q.id DESC LIMIT $3
) w
WHERE w.due_at >= $4 AND w.due_at < $5 AND w.shard = -1 AND w.parent_id IS NULL AND (w.follow & 128) <> 128
GROUP BY w.due_at / $1, w.state;

-- people/days.py PASSED_OVER
SELECT w.to_at / $1 AS quarter, sum(w.instants) AS instants FROM (
  SELECT to_at, count AS instants FROM skips
  WHERE job_id = $2 AND to_at >= $3 AND to_at < $4 ORDER BY to_at DESC LIMIT $5
) w GROUP BY w.to_at / $1;

-- people/days.py OLDEST_LOOKED_AT
SELECT due_at FROM runs WHERE job_id = $1 ORDER BY id DESC LIMIT 1 OFFSET $2;

-- people/glance.py BETWEEN
SELECT c.job_id FROM (
  SELECT job_id, next_at, state FROM cursors WHERE next_at > $1 AND next_at <= $2
  ORDER BY next_at, job_id LIMIT $3
) c JOIN jobs j ON j.id = c.job_id
WHERE c.state = 'active' AND j.deleted_at = 0 AND j.namespace >= $4 AND j.namespace <= $5
ORDER BY c.next_at, c.job_id LIMIT $6;

-- people/glance.py NAMESPACES
WITH RECURSIVE walk (namespace, step) AS (
  SELECT (SELECT min(namespace) FROM jobs), 1
  UNION ALL
  SELECT (SELECT min(j.namespace) FROM jobs j WHERE j.namespace > walk.namespace), step + 1
  FROM walk WHERE walk.namespace IS NOT NULL AND step < $1
)
SELECT namespace FROM walk WHERE namespace IS NOT NULL ORDER BY namespace;

-- people/glance.py THIS_NAMESPACE
SELECT namespace FROM jobs WHERE namespace = $1 LIMIT 1;

-- people/holds.py LANES_AMONG
SELECT lanes.id, lanes.document FROM unnest($1::text::bigint[]) AS d(lane) JOIN lanes ON lanes.id = d.lane;

-- people/holds.py LIMITS
SELECT limits.name, limits.max, limits.used, limits.rate, limits.rate_per_us, limits.pace_us, limits.burst,
       limits.spent_until, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AS seen_at,
       CASE WHEN limits.claim_until > CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) THEN limits.claim_lane END AS claimed_by
FROM unnest($1::text::text[]) AS d(label) JOIN limits ON limits.name = d.label;

-- people/holds.py HEADS
SELECT h.id, h.job_id, h.place FROM runs h WHERE h.id IN (
  SELECT (SELECT r.id FROM runs r
          WHERE r.job_id = d.job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place IS NOT NULL
            AND r.parent_id IS NULL
          ORDER BY r.place, r.id LIMIT 1)
  FROM unnest($1::text::bigint[]) AS d(job_id));

-- people/job_reads.py ONE
SELECT
    j.id, j.namespace, j.name, j.deleted_at, j.version, j.source, j.pause_reason, j.paused_by, j.paused_at,
    j.created_at, j.updated_at, j.source_module, j.undeclared_at, j.retirement, j.renamed_to,
    v.hash, v.definition, v.created_by, c.state, c.next_at, c.next_due_at, c.remaining, c.trouble FROM jobs j
    JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
    JOIN cursors c ON c.job_id = j.id WHERE j.namespace = $1 AND j.name = $2 AND j.deleted_at = 0;

-- people/job_reads.py BY_NAME_IN
SELECT id, namespace, name FROM jobs WHERE namespace = $1 AND name > $2 AND deleted_at = 0 ORDER BY namespace, name LIMIT $3;

-- people/job_reads.py BY_NAME
SELECT id, namespace, name FROM jobs WHERE (namespace, name) > ($1, $2) AND deleted_at = 0 ORDER BY namespace, name LIMIT $3;

-- people/job_reads.py NARROWED
SELECT j.id, j.namespace, j.name FROM (
  SELECT id, namespace, name, version FROM jobs
  WHERE (namespace, name) > ($1, $2) AND namespace <= $3 AND deleted_at = 0 ORDER BY namespace, name LIMIT 20000
) j
CROSS JOIN LATERAL (SELECT * FROM job_versions WHERE job_id = j.id AND version = j.version LIMIT 1) v
CROSS JOIN LATERAL (SELECT * FROM cursors WHERE job_id = j.id LIMIT 1) c
WHERE (lower(j.name) LIKE $4 ESCAPE '!' OR lower(v.definition) LIKE $4 ESCAPE '!'
       OR ((j.name LIKE $5 OR j.name LIKE $6) AND lower(j.name) LIKE $7 ESCAPE '!')
       OR ((v.definition LIKE $5 OR v.definition LIKE $6)
           AND lower(v.definition) LIKE $7 ESCAPE '!'))
  AND c.state LIKE $8 AND coalesce(c.next_at, 0) < $9
ORDER BY j.namespace, j.name LIMIT $10;

-- people/job_reads.py EDGE
SELECT id, namespace, name FROM jobs WHERE (namespace, name) > ($1, $2) AND namespace <= $3 AND deleted_at = 0
ORDER BY namespace, name LIMIT 1 OFFSET 19999;

-- people/job_reads.py BY_NEXT
SELECT job_id AS id, next_at FROM cursors WHERE (next_at, job_id) > ($1, $2) ORDER BY next_at, job_id LIMIT $3;

-- people/job_reads.py BY_NAMES
SELECT jobs.id, jobs.namespace, jobs.name FROM unnest($1::text::text[], $2::text::text[]) AS d(namespace, name)
JOIN jobs ON jobs.namespace = d.namespace AND jobs.name = d.name AND jobs.deleted_at = 0;

-- people/job_reads.py BY_ID
SELECT
    j.id, j.namespace, j.name, j.deleted_at, j.version, j.source, j.pause_reason, j.paused_by, j.paused_at,
    j.created_at, j.updated_at, j.source_module, j.undeclared_at, j.retirement, j.renamed_to,
    v.hash, v.definition, v.created_by, c.state, c.next_at, c.next_due_at, c.remaining, c.trouble FROM unnest($1::text::bigint[]) AS d(id) JOIN jobs j ON j.id = d.id
    JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
    JOIN cursors c ON c.job_id = j.id;

-- people/job_reads.py LAST_RUNS
SELECT r.id, r.job_id, r.state, r.kind, r.created_at, r.started_at, r.ended_at, r.attempt, r.place, r.cancel_at,
       r.parent_id, r.lane, r.not_before, r.serial
FROM unnest($1::text::bigint[]) AS d(job_id) JOIN runs r ON r.id = (
  SELECT q.id FROM runs q
  WHERE q.job_id = d.job_id AND q.shard = -1 AND q.parent_id IS NULL AND (q.follow & 128) <> 128
  ORDER BY q.id DESC LIMIT 1
);

-- people/job_reads.py NAMESAKES
SELECT id, source FROM jobs WHERE namespace = $1 AND name = $2
ORDER BY CASE WHEN deleted_at = 0 THEN 0 WHEN source = 'test' THEN 2 ELSE 1 END, id DESC LIMIT $3;

-- people/job_reads.py NAMES
SELECT namespace, name FROM jobs WHERE deleted_at = 0 ORDER BY namespace, name LIMIT $1;

-- people/job_reads.py NAMES_IN
SELECT namespace, name FROM jobs WHERE namespace = $1 AND deleted_at = 0 ORDER BY name LIMIT $2;

-- people/job_reads.py VERSIONS
SELECT version, hash, definition, created_at, created_by, reason FROM job_versions WHERE job_id = $1 AND version < $2 ORDER BY version DESC LIMIT $3;

-- people/job_reads.py VERSION
SELECT version, hash, definition, created_at, created_by, reason FROM job_versions WHERE job_id = $1 AND version = $2;

-- people/job_reads.py SEARCH
SELECT
j.id, j.namespace, j.name, j.deleted_at, j.version, j.source, j.pause_reason, j.paused_by, j.paused_at,
j.created_at, j.updated_at, j.source_module, j.undeclared_at, j.retirement, j.renamed_to,
v.hash, v.definition, v.created_by, c.state, c.next_at, c.next_due_at, c.remaining, c.trouble FROM (
  SELECT * FROM jobs WHERE namespace >= $1 AND namespace <= $2 AND deleted_at = 0
  ORDER BY namespace, name LIMIT 20000
) j
JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
JOIN cursors c ON c.job_id = j.id
WHERE lower(j.name) LIKE $3 ESCAPE '!' OR lower(v.definition) LIKE $3 ESCAPE '!'
ORDER BY CASE WHEN lower(j.name) LIKE $4 ESCAPE '!' THEN 0
              WHEN lower(j.name) LIKE $3 ESCAPE '!' THEN 1 ELSE 2 END, j.namespace, j.name
LIMIT $5;

-- people/journal.py _NOTE
INSERT INTO events (event_key, at, topic, kind, namespace, subject, made_by, data) SELECT n.event_key, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), n.topic, n.kind, n.namespace, n.subject, n.made_by, n.data FROM unnest($1::text::text[], $2::text::text[], $3::text::text[], $4::text::text[], $5::text::text[], $6::text::text[], $7::text::text[]) AS n(event_key, topic, kind, namespace, subject, made_by, data) WHERE (EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = $8) OR $8 IS NULL) ON CONFLICT DO NOTHING;

-- people/journal.py _BEFORE
SELECT id, at, topic, kind, namespace, subject, made_by, data FROM events WHERE id < $1 ORDER BY id DESC LIMIT $2;

-- people/journal.py _BEFORE_OF
SELECT id, at, topic, kind, namespace, subject, made_by, data FROM events WHERE subject = $1 AND id < $2 ORDER BY id DESC LIMIT $3;

-- people/journal.py _AFTER
SELECT id, at, topic, kind, namespace, subject, made_by, data FROM events WHERE id > $1 ORDER BY id LIMIT $2;

-- people/journal.py _NEWEST
SELECT coalesce(max(id), 0) FROM events;

-- people/journal.py _OLD
SELECT id FROM events WHERE at < $1 ORDER BY at LIMIT $2;

-- people/journal.py _FORGET
DELETE FROM events WHERE id >= $1 AND id <= $2 AND at < $3;

-- people/key_holds.py AWAITED
SELECT w.run_id, k.name, k.said, k.used, k.pace_us, k.burst, k.spent_until, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AS seen_at,
       (SELECT min(h.run_id) FROM limit_runs h WHERE h.name = k.name AND h.waits = 0) AS holder
FROM limit_runs w JOIN limit_keys k ON k.name = w.name
WHERE w.waits = 1 AND w.run_id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id));

-- people/key_holds.py FULL_WORKERS
SELECT count(*) FROM limit_keys WHERE name > $1 AND name < $2 AND used >= $3;

-- people/key_use.py FULL
SELECT k.name, k.said, k.used, k.pace_us, k.burst, k.spent_until, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AS seen_at
FROM (SELECT l.name, l.said, l.used, l.pace_us, l.burst, l.spent_until FROM limit_keys l
      WHERE l.name > $1 AND l.name < $2 ORDER BY l.name LIMIT 10000) k
WHERE (k.pace_us = 0 AND k.used >= $3)
      OR (k.pace_us > 0 AND k.spent_until - (k.burst - 1) * k.pace_us > CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint))
ORDER BY k.used DESC, k.spent_until DESC, k.name LIMIT $4;

-- people/key_use.py WAITING
SELECT count(*) FROM (SELECT w.run_id FROM limit_runs w WHERE w.name = $1 AND w.waits = 1 LIMIT $2) q;

-- people/key_use.py HOLDING
SELECT h.run_id FROM limit_runs h WHERE h.name = $1 AND h.waits = 0 ORDER BY h.turn, h.run_id LIMIT $2;

-- people/key_use.py WORKERS
SELECT nodes.id, nodes.name FROM unnest($1::text::text[]) AS d(id) JOIN nodes ON nodes.id = d.id;

-- people/ledger_page.py SKIPPED_SINCE
SELECT CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AS now, maintenance_until, maintenance_at, maintenance_by, maintenance_reason, s.* FROM store_meta m LEFT JOIN (
  SELECT from_at, to_at, count AS instants, reason, why, cause, version, decided_at FROM skips WHERE job_id = $1 AND to_at >= $2 AND from_at <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint)
  ORDER BY to_at DESC LIMIT $3) s ON true
WHERE m.id = 1 ORDER BY s.to_at DESC;

-- people/ledger_page.py VERSIONS_AMONG
SELECT v.version, v.hash, v.definition, v.created_at, v.created_by, v.reason, d.lane, l.document AS lane_document FROM unnest($1::text::bigint[], $2::text::bigint[]) AS d(version, lane) JOIN job_versions v ON v.job_id = $3 AND v.version = d.version LEFT JOIN lanes l ON l.id = d.lane;

-- people/ledger_page.py LAST_TRIES
SELECT a.run_id, a.attempt, a.cause, n.name AS node, a.session_id, a.fence, a.leased_at, a.started_at, a.ended_at, a.error, a.error_type FROM unnest($1::text::bigint[]) AS d(run_id) JOIN attempts a ON a.run_id = d.run_id LEFT JOIN nodes n ON n.id = a.session_id WHERE a.attempt = (SELECT max(b.attempt) FROM attempts b WHERE b.run_id = d.run_id);

-- people/ledger_page.py SHARD_STATES
SELECT r.parent_id, r.state, count(*) AS runs FROM unnest($1::text::bigint[]) AS d(run_id) JOIN runs r ON r.parent_id = d.run_id WHERE r.shard >= 0 GROUP BY r.parent_id, r.state;

-- people/ledger_page.py LINE_AND_OBSTACLES
SELECT
r.id, r.job_id, r.version, r.fire_key, r.shard, r.parent_id, r.open_children, r.due_at, r.not_before, r.lane,
r.class AS paced, r.priority, r.serial, r.place, r.parked, r.follow, r.state, r.kind, r.ver, r.attempt, r.failures,
r.deaths, r.created_at, r.cancel_at, r.session_id, r.fence, r.leased_at, r.started_at, r.deadline_at, r.ended_at,
r.triggered_by, r.reason, r.params, r.result, r.error, r.error_type, r.cancelled_by, r.cancel_reason, r.assigned_to,
r.assigned_until, r.assigned_before, j.namespace, j.name AS job, n.name AS node, d.is_in_line FROM (
  SELECT q.id, 1 AS is_in_line FROM (SELECT r.id FROM runs r WHERE r.job_id = $1 AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place IS NOT NULL AND r.parent_id IS NULL ORDER BY r.place, r.id LIMIT $2) q
  UNION ALL
  SELECT o.id, 0 AS is_in_line FROM (
    SELECT w.id FROM (SELECT id, shard, parent_id, created_at FROM runs
                      WHERE job_id = $1 ORDER BY id DESC LIMIT $3) w
    WHERE w.shard = -1 AND w.parent_id IS NULL AND w.created_at <= $4 ORDER BY w.id DESC LIMIT $5) o
) d JOIN runs r ON r.id = d.id JOIN jobs j ON j.id = r.job_id LEFT JOIN nodes n ON n.id = r.session_id;

-- people/ledger_reads.py FIRED
SELECT
    r.id, r.job_id, r.version, r.fire_key, r.shard, r.parent_id, r.open_children, r.due_at, r.not_before, r.lane,
    r.class AS paced, r.priority, r.serial, r.place, r.parked, r.follow, r.state, r.kind, r.ver, r.attempt, r.failures,
    r.deaths, r.created_at, r.cancel_at, r.session_id, r.fence, r.leased_at, r.started_at, r.deadline_at, r.ended_at,
    r.triggered_by, r.reason, r.params, r.result, r.error, r.error_type, r.cancelled_by, r.cancel_reason, r.assigned_to,
    r.assigned_until, r.assigned_before, j.namespace, j.name AS job, n.name AS node FROM runs r JOIN jobs j ON j.id = r.job_id LEFT JOIN nodes n ON n.id = r.session_id WHERE r.job_id = $1 AND r.fire_key >= $2 AND r.fire_key < $3 AND r.shard = -1 ORDER BY r.fire_key DESC LIMIT $4;

-- people/ledger_reads.py SKIPPED
SELECT from_at, to_at, count AS instants, reason, why, cause, version, decided_at FROM skips WHERE job_id = $1 AND to_at >= $2 AND from_at < $3 ORDER BY to_at DESC LIMIT $4;

-- people/ledger_reads.py BY_KEY
SELECT
    r.id, r.job_id, r.version, r.fire_key, r.shard, r.parent_id, r.open_children, r.due_at, r.not_before, r.lane,
    r.class AS paced, r.priority, r.serial, r.place, r.parked, r.follow, r.state, r.kind, r.ver, r.attempt, r.failures,
    r.deaths, r.created_at, r.cancel_at, r.session_id, r.fence, r.leased_at, r.started_at, r.deadline_at, r.ended_at,
    r.triggered_by, r.reason, r.params, r.result, r.error, r.error_type, r.cancelled_by, r.cancel_reason, r.assigned_to,
    r.assigned_until, r.assigned_before, j.namespace, j.name AS job, n.name AS node FROM runs r JOIN jobs j ON j.id = r.job_id LEFT JOIN nodes n ON n.id = r.session_id WHERE r.job_id = $1 AND r.fire_key = $2 AND r.shard = -1;

-- people/ledger_reads.py SKIP_OVER
SELECT from_at, to_at, count AS instants, reason, why, cause, version, decided_at FROM skips WHERE job_id = $1 AND to_at >= $2 AND from_at <= $2 ORDER BY to_at LIMIT 1;

-- people/ledger_reads.py IN_FORCE
SELECT version, hash, definition, created_at, created_by, reason FROM job_versions WHERE job_id = $1 AND created_at <= $2 ORDER BY version DESC LIMIT 1;

-- people/ledger_reads.py FIRST
SELECT version, hash, definition, created_at, created_by, reason FROM job_versions WHERE job_id = $1 ORDER BY version LIMIT 1;

-- people/ledger_reads.py LINE
SELECT
    r.id, r.job_id, r.version, r.fire_key, r.shard, r.parent_id, r.open_children, r.due_at, r.not_before, r.lane,
    r.class AS paced, r.priority, r.serial, r.place, r.parked, r.follow, r.state, r.kind, r.ver, r.attempt, r.failures,
    r.deaths, r.created_at, r.cancel_at, r.session_id, r.fence, r.leased_at, r.started_at, r.deadline_at, r.ended_at,
    r.triggered_by, r.reason, r.params, r.result, r.error, r.error_type, r.cancelled_by, r.cancel_reason, r.assigned_to,
    r.assigned_until, r.assigned_before, j.namespace, j.name AS job, n.name AS node FROM runs r JOIN jobs j ON j.id = r.job_id LEFT JOIN nodes n ON n.id = r.session_id WHERE r.job_id = $1 AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place IS NOT NULL AND r.parent_id IS NULL ORDER BY r.place, r.id LIMIT 1000;

-- people/limit_use.py MOST
SELECT limits.name, limits.max FROM unnest($1::text::text[]) AS d(name) JOIN limits ON limits.name = d.name;

-- people/limit_use.py HOLDERS
SELECT r.id, r.lane, r.leased_at, j.namespace, j.name, n.name AS worker
FROM runs r JOIN jobs j ON j.id = r.job_id LEFT JOIN nodes n ON n.id = r.session_id
WHERE r.state = 'RUNNING' AND r.session_id > '' AND r.lease_id IS NOT NULL AND r.lane IN (SELECT d.lane FROM unnest($1::text::bigint[]) AS d(lane))
ORDER BY r.leased_at, r.id LIMIT $2;

-- people/limit_use.py ASSIGNED
SELECT r.id, r.not_before FROM runs r
WHERE r.assigned_to > '' AND r.state = 'PENDING' AND r.parked = 2 AND r.lane IN (SELECT d.lane FROM unnest($1::text::bigint[]) AS d(lane))
      AND r.not_before <= $2
ORDER BY r.not_before, r.id LIMIT $3;

-- people/limit_use.py FIRSTS
SELECT r.lane, r.class, r.priority, r.id, r.not_before FROM runs r WHERE r.id IN (
  SELECT (SELECT e.id FROM runs e
          WHERE e.lane = d.lane AND e.class = d.class AND e.priority = d.priority AND e.state = 'PENDING'
                AND e.parked = 0
          ORDER BY e.not_before, e.id LIMIT 1)
  FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::bigint[]) AS d(lane, class, priority))
  AND r.not_before <= $4;

-- people/limit_use.py WAITING
SELECT count(*) FROM (
  SELECT r.id FROM runs r
  WHERE r.lane = $1 AND r.class = $2 AND r.priority = $3 AND r.state = 'PENDING'
        AND r.parked = 0 AND r.not_before <= $4
  LIMIT $5
) q;

-- people/limit_use.py RUN_OF
SELECT j.namespace, j.name FROM runs r JOIN jobs j ON j.id = r.job_id WHERE r.id = $1;

-- people/limit_use.py USERS
SELECT j.namespace, j.name, v.lane_id, v.merge_lane_id
FROM jobs j JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
WHERE j.deleted_at = 0 AND (v.lane_id IN (SELECT d.lane FROM unnest($1::text::bigint[]) AS d(lane)) OR v.merge_lane_id IN (SELECT d.lane FROM unnest($1::text::bigint[]) AS d(lane)))
ORDER BY j.namespace, j.name LIMIT $2;

-- people/named_limits.py LIST_LIMITS
SELECT name, namespace, max, used, rate, rate_per_us, pace_us, burst, spent_until, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AS seen_at FROM limits WHERE name > $1 AND ((name > 'grp:' AND name < 'grp;') OR (name > 'ns:' AND name < 'ns;') OR (name > 'res:' AND name < 'res;')) ORDER BY name LIMIT $2;

-- people/named_limits.py _LIST_IN
SELECT name, namespace, max, used, rate, rate_per_us, pace_us, burst, spent_until, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AS seen_at FROM limits WHERE name > $1 AND ((name > 'grp:' AND name < 'grp;') OR (name > 'ns:' AND name < 'ns;') OR (name > 'res:' AND name < 'res;')) AND (namespace IS NULL OR namespace = $2) ORDER BY name LIMIT $3;

-- people/named_limits.py _NAMESAKES
SELECT count(*) FROM limits WHERE name > 'res:' AND name < 'res;' AND namespace IS NOT NULL AND name LIKE $1 ESCAPE '!';

-- people/named_limits.py _MAKE_SCOPE
INSERT INTO limits (name, max, used, ver, namespace)
SELECT d.name, d.max, 0, 1, d.namespace FROM unnest($1::text::text[], $2::text::bigint[], $3::text::text[]) AS d(name, max, namespace) WHERE true ON CONFLICT DO NOTHING;

-- people/named_limits.py _SET_SCOPE
UPDATE limits SET max = $1, ver = ver + 1 WHERE name = $2;

-- people/named_limits.py _FIND
SELECT name, namespace, max, used, rate, rate_per_us, pace_us, burst, spent_until, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AS seen_at FROM limits WHERE name = $1;

-- people/named_limits.py _REMOVE
DELETE FROM limits WHERE name = $1;

-- people/ranking.py LATEST
SELECT q.job_id, q.state, q.ended_at - q.started_at AS took FROM (
  SELECT job_id, state, started_at, ended_at, follow FROM runs ORDER BY id DESC LIMIT 10000
) q
WHERE q.state IN ('SUCCEEDED', 'FAILED') AND (q.follow & 128) <> 128;

-- people/replies.py _CLAIM
INSERT INTO replies (hash, request_hash, claim, made_at) VALUES ($1, $2, $3, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint)) ON CONFLICT DO NOTHING;

-- people/replies.py _FIND
SELECT request_hash, claim, status, headers, body, made_at FROM replies WHERE hash = $1 FOR UPDATE;

-- people/replies.py _TAKE_OVER
UPDATE replies SET request_hash = $1, claim = $2, made_at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), status = NULL, headers = NULL, body = NULL WHERE hash = $3 AND claim = $4;

-- people/replies.py _KEEP
UPDATE replies SET status = $1, headers = $2, body = $3 WHERE hash = $4 AND claim = $5 AND status IS NULL;

-- people/replies.py _RELEASE
DELETE FROM replies WHERE hash = $1 AND claim = $2 AND status IS NULL;

-- people/replies.py _OLD
SELECT hash FROM replies WHERE made_at < $1 ORDER BY made_at LIMIT $2;

-- people/replies.py _FORGET
DELETE FROM replies WHERE hash IN (SELECT d.hash FROM unnest($1::text::text[]) AS d(hash)) AND made_at < $2;

-- people/run_reads.py WALK
SELECT r.id, r.job_id, r.state, r.kind, r.created_at, r.shard, r.parent_id, r.session_id, r.attempt, r.place, r.cancel_at, r.lane, r.not_before, r.serial, r.follow, r.ended_at FROM runs r WHERE r.id < $1 ORDER BY r.id DESC LIMIT $2;

-- people/run_reads.py WALK_JOB
SELECT r.id, r.job_id, r.state, r.kind, r.created_at, r.shard, r.parent_id, r.session_id, r.attempt, r.place, r.cancel_at, r.lane, r.not_before, r.serial, r.follow, r.ended_at FROM runs r WHERE r.job_id = (SELECT CAST($1 AS integer)) AND r.id < $2 ORDER BY r.id DESC LIMIT $3;

-- people/run_reads.py WALK_LIVE
SELECT r.id, r.job_id, r.state, r.kind, r.created_at, r.shard, r.parent_id, r.session_id, r.attempt, r.place, r.cancel_at, r.lane, r.not_before, r.serial, r.follow, r.ended_at FROM runs r WHERE r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND +r.id < $1 ORDER BY +r.id DESC LIMIT $2;

-- people/run_reads.py FETCH
SELECT
    r.id, r.job_id, r.version, r.fire_key, r.shard, r.parent_id, r.open_children, r.due_at, r.not_before, r.lane,
    r.class AS paced, r.priority, r.serial, r.place, r.parked, r.follow, r.state, r.kind, r.ver, r.attempt, r.failures,
    r.deaths, r.created_at, r.cancel_at, r.session_id, r.fence, r.leased_at, r.started_at, r.deadline_at, r.ended_at,
    r.triggered_by, r.reason, r.params, r.result, r.error, r.error_type, r.cancelled_by, r.cancel_reason, r.assigned_to,
    r.assigned_until, r.assigned_before, j.namespace, j.name AS job, n.name AS node FROM unnest($1::text::bigint[]) AS d(id) JOIN runs r ON r.id = d.id JOIN jobs j ON j.id = r.job_id LEFT JOIN nodes n ON n.id = r.session_id;

-- people/run_reads.py ONE
SELECT
    r.id, r.job_id, r.version, r.fire_key, r.shard, r.parent_id, r.open_children, r.due_at, r.not_before, r.lane,
    r.class AS paced, r.priority, r.serial, r.place, r.parked, r.follow, r.state, r.kind, r.ver, r.attempt, r.failures,
    r.deaths, r.created_at, r.cancel_at, r.session_id, r.fence, r.leased_at, r.started_at, r.deadline_at, r.ended_at,
    r.triggered_by, r.reason, r.params, r.result, r.error, r.error_type, r.cancelled_by, r.cancel_reason, r.assigned_to,
    r.assigned_until, r.assigned_before, j.namespace, j.name AS job, n.name AS node, n.progress, n.last_beat_at, c.progress AS called, c.told_at, c.ended_at AS by_callback_at FROM runs r JOIN jobs j ON j.id = r.job_id LEFT JOIN nodes n ON n.id = r.session_id LEFT JOIN callbacks c ON c.run_id = r.id AND c.lease_id = coalesce(r.lease_id, r.last_lease_id) WHERE r.id = $1;

-- people/run_reads.py SHARDS
SELECT
    r.id, r.job_id, r.version, r.fire_key, r.shard, r.parent_id, r.open_children, r.due_at, r.not_before, r.lane,
    r.class AS paced, r.priority, r.serial, r.place, r.parked, r.follow, r.state, r.kind, r.ver, r.attempt, r.failures,
    r.deaths, r.created_at, r.cancel_at, r.session_id, r.fence, r.leased_at, r.started_at, r.deadline_at, r.ended_at,
    r.triggered_by, r.reason, r.params, r.result, r.error, r.error_type, r.cancelled_by, r.cancel_reason, r.assigned_to,
    r.assigned_until, r.assigned_before, j.namespace, j.name AS job, n.name AS node FROM runs r JOIN jobs j ON j.id = r.job_id LEFT JOIN nodes n ON n.id = r.session_id WHERE r.parent_id = $1 ORDER BY r.shard, r.id LIMIT $2;

-- people/run_reads.py JOBS
SELECT j.id, j.namespace, v.definition FROM unnest($1::text::bigint[]) AS d(id) JOIN jobs j ON j.id = d.id JOIN job_versions v ON v.job_id = j.id AND v.version = j.version;

-- people/run_reads.py NODES
SELECT n.id, n.name FROM unnest($1::text::text[]) AS d(id) JOIN nodes n ON n.id = d.id;

-- people/run_reads.py AT_OR_ABOVE
SELECT id, created_at FROM runs WHERE id >= $1 ORDER BY id LIMIT 1;

-- people/run_reads.py BOUNDS
SELECT coalesce(min(id), 0) AS low, coalesce(max(id), 0) AS high FROM runs;

-- people/run_reads.py ATTEMPTS
SELECT a.attempt, a.cause, n.name AS node, a.session_id, a.fence, a.leased_at, a.started_at, a.ended_at, a.error, a.error_type FROM attempts a LEFT JOIN nodes n ON n.id = a.session_id WHERE a.run_id = $1 ORDER BY a.attempt;

-- people/run_reads.py FIRST_STARTS
SELECT a.run_id, min(a.started_at) AS at FROM unnest($1::text::bigint[]) AS d(id) JOIN attempts a ON a.run_id = d.id GROUP BY a.run_id;

-- people/run_reads.py NEWER
SELECT
    r.id, r.job_id, r.version, r.fire_key, r.shard, r.parent_id, r.open_children, r.due_at, r.not_before, r.lane,
    r.class AS paced, r.priority, r.serial, r.place, r.parked, r.follow, r.state, r.kind, r.ver, r.attempt, r.failures,
    r.deaths, r.created_at, r.cancel_at, r.session_id, r.fence, r.leased_at, r.started_at, r.deadline_at, r.ended_at,
    r.triggered_by, r.reason, r.params, r.result, r.error, r.error_type, r.cancelled_by, r.cancel_reason, r.assigned_to,
    r.assigned_until, r.assigned_before, j.namespace, j.name AS job, n.name AS node FROM runs r JOIN jobs j ON j.id = r.job_id LEFT JOIN nodes n ON n.id = r.session_id WHERE r.id > $1 ORDER BY r.id LIMIT $2;

-- people/run_reads.py LIVE
SELECT
    r.id, r.job_id, r.version, r.fire_key, r.shard, r.parent_id, r.open_children, r.due_at, r.not_before, r.lane,
    r.class AS paced, r.priority, r.serial, r.place, r.parked, r.follow, r.state, r.kind, r.ver, r.attempt, r.failures,
    r.deaths, r.created_at, r.cancel_at, r.session_id, r.fence, r.leased_at, r.started_at, r.deadline_at, r.ended_at,
    r.triggered_by, r.reason, r.params, r.result, r.error, r.error_type, r.cancelled_by, r.cancel_reason, r.assigned_to,
    r.assigned_until, r.assigned_before, j.namespace, j.name AS job, n.name AS node FROM (SELECT * FROM runs WHERE state = 'RUNNING'  LIMIT $1) r JOIN jobs j ON j.id = r.job_id LEFT JOIN nodes n ON n.id = r.session_id;

-- people/run_reads.py NEWEST
SELECT coalesce(max(id), 0) FROM runs;

-- people/shard_logs.py BOUNDS
SELECT min(w.low) AS low, max(w.high) AS high
FROM (SELECT (SELECT l.written_at FROM run_logs l WHERE l.run_id = r.id ORDER BY l.written_at LIMIT 1) AS low,
             (SELECT l.written_at FROM run_logs l WHERE l.run_id = r.id ORDER BY l.written_at DESC LIMIT 1) AS high
      FROM runs r WHERE r.parent_id = $1) w;

-- people/shard_logs.py NEWEST
   SELECT w.run_id, w.shard, w.attempt, w.at_offset, w.size, w.written_at, w.is_growing,
          p.at_offset AS before_at, p.size AS before_size,
          (SELECT n.at_offset FROM run_logs n  WHERE n.run_id = w.run_id AND n.attempt = w.attempt
           ORDER BY n.at_offset DESC LIMIT 1) AS last_at
   FROM (SELECT
   r.id AS run_id, r.shard, l.attempt, l.at_offset, l.size, l.written_at,
   CASE WHEN r.state IN ('PENDING', 'RUNNING') AND l.attempt = r.attempt THEN 1 ELSE 0 END AS is_growing
FROM
   runs r CROSS JOIN LATERAL (SELECT * FROM run_logs l WHERE l.run_id = r.id AND l.written_at >= $1 AND l.written_at <= $2 AND l.attempt >= $3 AND l.attempt <= $4
                              ORDER BY l.written_at DESC LIMIT $5) l WHERE r.parent_id = $6
         ORDER BY l.written_at DESC, r.id, l.attempt, l.at_offset LIMIT $5) w
   LEFT JOIN run_logs p ON p.run_id = w.run_id AND p.attempt = w.attempt
        AND p.at_offset = (SELECT q.at_offset FROM run_logs q
                           WHERE q.run_id = w.run_id AND q.attempt = w.attempt AND q.at_offset < w.at_offset
                           ORDER BY q.at_offset DESC LIMIT 1)
   ORDER BY w.written_at DESC, w.run_id, w.attempt, w.at_offset;

-- people/shard_logs.py OLDEST
   SELECT w.run_id, w.shard, w.attempt, w.at_offset, w.size, w.written_at, w.is_growing,
          p.at_offset AS before_at, p.size AS before_size,
          (SELECT n.at_offset FROM run_logs n  WHERE n.run_id = w.run_id AND n.attempt = w.attempt
           ORDER BY n.at_offset DESC LIMIT 1) AS last_at
   FROM (SELECT
   r.id AS run_id, r.shard, l.attempt, l.at_offset, l.size, l.written_at,
   CASE WHEN r.state IN ('PENDING', 'RUNNING') AND l.attempt = r.attempt THEN 1 ELSE 0 END AS is_growing
FROM
   runs r CROSS JOIN LATERAL (SELECT * FROM run_logs l WHERE l.run_id = r.id AND l.written_at >= $1 AND l.written_at <= $2 AND l.attempt >= $3 AND l.attempt <= $4
                              ORDER BY l.written_at ASC LIMIT $5) l WHERE r.parent_id = $6
         ORDER BY l.written_at, r.id, l.attempt, l.at_offset LIMIT $5) w
   LEFT JOIN run_logs p ON p.run_id = w.run_id AND p.attempt = w.attempt
        AND p.at_offset = (SELECT q.at_offset FROM run_logs q
                           WHERE q.run_id = w.run_id AND q.attempt = w.attempt AND q.at_offset < w.at_offset
                           ORDER BY q.at_offset DESC LIMIT 1)
   ORDER BY w.written_at, w.run_id, w.attempt, w.at_offset;

-- people/shard_logs.py NEWS
   SELECT w.run_id, w.shard, w.attempt, w.at_offset, w.size, w.written_at, w.is_growing,
          p.at_offset AS before_at, p.size AS before_size,
          (SELECT n.at_offset FROM run_logs n  WHERE n.run_id = w.run_id AND n.attempt = w.attempt
           ORDER BY n.at_offset DESC LIMIT 1) AS last_at
   FROM (SELECT
   r.id AS run_id, r.shard, l.attempt, l.at_offset, l.size, l.written_at,
   CASE WHEN r.state IN ('PENDING', 'RUNNING') AND l.attempt = r.attempt THEN 1 ELSE 0 END AS is_growing
FROM run_logs l JOIN runs r ON r.id = l.run_id WHERE l.parent_id = $1 AND l.written_at >= $2 AND l.attempt >= $3 AND l.attempt <= $4
         ORDER BY l.written_at, r.id, l.attempt, l.at_offset LIMIT $5) w
   LEFT JOIN run_logs p ON p.run_id = w.run_id AND p.attempt = w.attempt
        AND p.at_offset = (SELECT q.at_offset FROM run_logs q
                           WHERE q.run_id = w.run_id AND q.attempt = w.attempt AND q.at_offset < w.at_offset
                           ORDER BY q.at_offset DESC LIMIT 1)
   ORDER BY w.written_at, w.run_id, w.attempt, w.at_offset;

-- people/shard_logs.py ENDS
SELECT l.run_id, l.attempt, l.at_offset, l.size, l.written_at
FROM runs r CROSS JOIN LATERAL (SELECT * FROM run_logs l WHERE l.run_id = r.id AND l.attempt >= $1 AND l.attempt <= $2
                                ORDER BY l.attempt DESC, l.at_offset DESC LIMIT 1) l
WHERE r.parent_id = $3;

-- people/shard_logs.py BEHIND
   SELECT w.run_id, w.shard, w.attempt, w.at_offset, w.size, w.written_at, w.is_growing,
          p.at_offset AS before_at, p.size AS before_size,
          (SELECT n.at_offset FROM run_logs n  WHERE n.run_id = w.run_id AND n.attempt = w.attempt
           ORDER BY n.at_offset DESC LIMIT 1) AS last_at
   FROM (SELECT
   r.id AS run_id, r.shard, l.attempt, l.at_offset, l.size, l.written_at,
   CASE WHEN r.state IN ('PENDING', 'RUNNING') AND l.attempt = r.attempt THEN 1 ELSE 0 END AS is_growing
FROM
       unnest($1::text::bigint[], $2::text::bigint[], $3::text::bigint[]) AS d(run_id, attempt, at_offset) JOIN runs r ON r.id = d.run_id
       CROSS JOIN LATERAL (SELECT * FROM run_logs l WHERE l.run_id = d.run_id AND l.attempt = d.attempt AND l.at_offset >= d.at_offset ORDER BY l.at_offset LIMIT $4) l
         ORDER BY r.id, l.attempt, l.at_offset LIMIT $4) w
   LEFT JOIN run_logs p ON p.run_id = w.run_id AND p.attempt = w.attempt
        AND p.at_offset = (SELECT q.at_offset FROM run_logs q
                           WHERE q.run_id = w.run_id AND q.attempt = w.attempt AND q.at_offset < w.at_offset
                           ORDER BY q.at_offset DESC LIMIT 1)
   ORDER BY w.run_id, w.attempt, w.at_offset;

-- people/shard_logs.py TEXTS
SELECT l.run_id, l.attempt, l.at_offset, l.body
FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::bigint[]) AS d(run_id, attempt, at_offset) JOIN run_logs l ON l.run_id = d.run_id AND l.attempt = d.attempt AND l.at_offset = d.at_offset;

-- people/skip_reads.py NEWEST
SELECT id, from_at, to_at, count AS instants, reason, why, cause, version, decided_at, (SELECT j.name FROM jobs j WHERE j.id = skips.job_id) AS name,
       (SELECT j.namespace FROM jobs j WHERE j.id = skips.job_id) AS namespace
FROM skips WHERE id < $1 ORDER BY id DESC LIMIT $2;

-- people/strips.py STRIPS
WITH RECURSIVE walk (job_id, id, step) AS (
  SELECT d.job_id, (
    SELECT q.id FROM runs q
    WHERE q.job_id = d.job_id AND q.shard = -1 AND q.parent_id IS NULL AND (q.follow & 128) <> 128
    ORDER BY q.id DESC LIMIT 1
  ), 1 FROM unnest($1::text::bigint[]) AS d(job_id)
  UNION ALL
  SELECT w.job_id, (
    SELECT q.id FROM runs q
    WHERE q.job_id = w.job_id AND q.id < w.id AND q.shard = -1 AND q.parent_id IS NULL AND (q.follow & 128) <> 128
    ORDER BY q.id DESC LIMIT 1
  ), w.step + 1 FROM walk w WHERE w.step < $2 AND w.id IS NOT NULL
)
SELECT r.id, r.job_id, r.state, r.kind, r.created_at, r.started_at, r.ended_at, r.attempt, r.cancel_at
FROM walk JOIN runs r ON r.id = walk.id;

-- people/tokens.py _BY_HASH
SELECT id, name, hash, scopes, namespace, group_name, created_at, created_by, expires_at, last_used_at, revoked_at, line, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AS now FROM tokens WHERE hash = $1;

-- people/tokens.py _ANY
SELECT 1 FROM tokens LIMIT 1;

-- people/tokens.py _BY_NAME
SELECT id, name, hash, scopes, namespace, group_name, created_at, created_by, expires_at, last_used_at, revoked_at, line FROM tokens WHERE name = $1 AND revoked_at = 0 AND expires_at > CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint);

-- people/tokens.py _BY_ID
SELECT id, name, hash, scopes, namespace, group_name, created_at, created_by, expires_at, last_used_at, revoked_at, line FROM tokens WHERE id = $1;

-- people/tokens.py _OF_NAME
SELECT id, name, hash, scopes, namespace, group_name, created_at, created_by, expires_at, last_used_at, revoked_at, line FROM tokens WHERE name = $1 AND expires_at > CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AND (revoked_at = 0 OR revoked_at > CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint)) ORDER BY created_at DESC, id;

-- people/tokens.py _ALL
SELECT id, name, hash, scopes, namespace, group_name, created_at, created_by, expires_at, last_used_at, revoked_at, line FROM tokens ORDER BY created_at DESC, id LIMIT 1000;

-- people/tokens.py _ADD
INSERT INTO tokens (id, name, hash, scopes, namespace, group_name, created_at, created_by, expires_at, revoked_at, line) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 0, $10);

-- people/tokens.py _END
UPDATE tokens SET revoked_at = $1 WHERE id = $2 AND (revoked_at = 0 OR revoked_at > $1) AND expires_at > $1;

-- people/tokens.py _ENDS_THEN
SELECT 1 FROM tokens mine JOIN tokens other ON other.name = mine.name AND other.revoked_at = $1 WHERE mine.id = $2 AND other.id <> $2;

-- people/tokens.py _STEP_ASIDE
UPDATE tokens SET revoked_at = expires_at WHERE name = $1 AND revoked_at = 0 AND expires_at <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint);

-- people/tokens.py _USED
UPDATE tokens SET last_used_at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) WHERE id = $1;

-- people/tokens.py _ADD_CODE
INSERT INTO login_codes (hash, created_by, expires_at) VALUES ($1, $2, $3);

-- people/tokens.py _FORGET_CODES
DELETE FROM login_codes WHERE expires_at <= CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint);

-- people/tokens.py _USE_CODE
DELETE FROM login_codes WHERE hash = $1 AND expires_at > CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint);

-- people/views.py OF_OWNERS
SELECT v.owner, v.name, v.path, v.saved_at, v.saved_by FROM unnest($1::text::text[]) AS d(owner) JOIN views v ON v.owner = d.owner ORDER BY v.name, v.owner;

-- people/views.py ONE
SELECT v.owner, v.name, v.path, v.saved_at, v.saved_by FROM views v WHERE v.owner = $1 AND v.name = $2;

-- people/views.py COUNT
SELECT count(*) AS found FROM views WHERE owner = $1 AND name <> $2;

-- people/views.py CHANGE
UPDATE views SET path = $1, saved_at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), saved_by = $2 WHERE owner = $3 AND name = $4;

-- people/views.py INSERT
INSERT INTO views (owner, name, path, saved_at, saved_by) VALUES ($1, $2, $3, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), $4) ON CONFLICT DO NOTHING;

-- people/views.py REMOVE
DELETE FROM views WHERE owner = $1 AND name = $2;

-- statistics/anomalies.py PROGRESS
SELECT ver, at, after_id FROM history_progress WHERE subject = 'anomalies';

-- statistics/anomalies.py MOVE
UPDATE history_progress SET ver = ver + 1, at = $1, after_id = $2
WHERE subject = 'anomalies' AND ver = $3 AND (EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = $4) OR $4 IS NULL);

-- statistics/anomalies.py PAGE
   SELECT s.resolution, s.job_id, s.start_at, s.runs, s.succeeded, s.failed, s.took, s.took_max_us, s.delays,
          s.delay_max_us, s.took_sketch, s.delay_sketch, s.kinds
FROM unnest($1::text::bigint[], $2::text::bigint[]) AS d(resolution, start_at) JOIN stats s
   ON s.resolution = d.resolution AND s.start_at = d.start_at AND s.job_id > $3 AND s.job_id <= (SELECT max(p.id) FROM (SELECT n.id FROM jobs n WHERE n.id > $3 AND n.deleted_at = 0 ORDER BY n.id LIMIT $4) p)
   WHERE s.is_part = 0
   UNION ALL
   SELECT -1, j.id, v.created_at, CASE WHEN c.state = 'active' THEN 1 ELSE 0 END,
          CASE WHEN c.next_due_at IS NOT NULL OR j.from_end <> 0 THEN 1 ELSE 0 END,
          CASE WHEN EXISTS (
            SELECT 1 FROM skips k WHERE k.job_id = j.id AND k.to_at >= $5
              AND k.reason IN ('calendar', 'blackout', 'paused', 'edited')
          ) THEN 1 ELSE 0 END,
          0, 0, 0, 0, j.namespace, j.name, NULL
   FROM jobs j JOIN cursors c ON c.job_id = j.id JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
WHERE j.id > $3 AND j.id <= (SELECT max(p.id) FROM (SELECT n.id FROM jobs n WHERE n.id > $3 AND n.deleted_at = 0 ORDER BY n.id LIMIT $4) p) AND j.deleted_at = 0
   UNION ALL
   SELECT -2, a.job_id, a.began_at, a.id, a.quiet, 0, a.seen_at, 0, 0, 0, a.kind, a.facts, NULL
   FROM anomalies a WHERE a.is_open = 1 AND a.job_id > $3 AND a.job_id <= (SELECT max(p.id) FROM (SELECT n.id FROM jobs n WHERE n.id > $3 AND n.deleted_at = 0 ORDER BY n.id LIMIT $4) p);

-- statistics/anomalies.py KEEP
   INSERT INTO anomalies (job_id, kind, is_open, began_at, seen_at, quiet, ended_at, facts)
   SELECT d.job_id, d.kind, d.is_open, d.began_at, d.seen_at, d.quiet, d.ended_at, d.facts FROM unnest($1::text::bigint[], $2::text::text[], $3::text::bigint[], $4::text::bigint[], $5::text::bigint[], $6::text::bigint[], $7::text::bigint[], $8::text::text[]) AS d(job_id, kind, is_open, began_at, seen_at, quiet, ended_at, facts) WHERE true
ON CONFLICT (job_id, kind, began_at) DO UPDATE SET is_open = excluded.is_open, seen_at = excluded.seen_at, quiet = excluded.quiet, ended_at = excluded.ended_at, facts = excluded.facts;

-- statistics/anomalies.py OLDEST
SELECT id FROM anomalies WHERE seen_at < $1 ORDER BY seen_at LIMIT $2;

-- statistics/anomalies.py DELETE
DELETE FROM anomalies WHERE id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id));

-- statistics/anomalies.py LISTED
   SELECT a.id, a.job_id, a.kind, a.began_at, a.seen_at, a.quiet, a.ended_at, a.facts, j.namespace, j.name FROM anomalies a JOIN jobs j ON j.id = a.job_id
   WHERE a.id < $1 AND a.seen_at >= $2 AND a.began_at < $3
ORDER BY a.id DESC LIMIT $4;

-- statistics/anomalies.py LISTED_OF_JOB
   SELECT a.id, a.job_id, a.kind, a.began_at, a.seen_at, a.quiet, a.ended_at, a.facts, j.namespace, j.name FROM anomalies a JOIN jobs j ON j.id = a.job_id
   WHERE a.id < $1 AND a.seen_at >= $2 AND a.began_at < $3
AND a.job_id = $4 ORDER BY a.id DESC LIMIT $5;

-- statistics/figure_rows.py FIRST
INSERT INTO stats_progress (id, ver, counted_id)
SELECT d.id, 0, 0 FROM unnest($1::text::bigint[]) AS d(id) WHERE true ON CONFLICT DO NOTHING;

-- statistics/figure_rows.py MOVE
UPDATE stats_progress SET ver = ver + 1, counted_id = $1 WHERE id = 1 AND ver = $2;

-- statistics/figure_rows.py THERE
SELECT s.start_at, s.resolution, s.job_id, s.is_part, s.node, s.runs, s.succeeded, s.failed, s.retries, s.last_at, s.took, s.took_us, s.took_max_us, s.took_sketch, s.delays, s.delay_us, s.delay_max_us, s.delay_sketch, s.kinds FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::bigint[], $4::text::bigint[], $5::text::text[]) AS d(start_at, resolution, job_id, is_part, node) JOIN stats s ON s.resolution = d.resolution AND s.start_at = d.start_at AND s.job_id = d.job_id AND s.is_part = d.is_part AND s.node = d.node;

-- statistics/figure_rows.py CHANGE
UPDATE stats SET runs = d.runs, succeeded = d.succeeded, failed = d.failed, retries = d.retries, last_at = d.last_at, took = d.took, took_us = d.took_us, took_max_us = d.took_max_us, took_sketch = d.took_sketch, delays = d.delays, delay_us = d.delay_us, delay_max_us = d.delay_max_us, delay_sketch = d.delay_sketch, kinds = d.kinds FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::bigint[], $4::text::bigint[], $5::text::text[], $6::text::bigint[], $7::text::bigint[], $8::text::bigint[], $9::text::bigint[], $10::text::bigint[], $11::text::bigint[], $12::text::bigint[], $13::text::bigint[], $14::text::text[], $15::text::bigint[], $16::text::bigint[], $17::text::bigint[], $18::text::text[], $19::text::text[]) AS d(start_at, resolution, job_id, is_part, node, runs, succeeded, failed, retries, last_at, took, took_us, took_max_us, took_sketch, delays, delay_us, delay_max_us, delay_sketch, kinds) WHERE stats.resolution = d.resolution AND stats.start_at = d.start_at AND stats.job_id = d.job_id AND stats.is_part = d.is_part AND stats.node = d.node;

-- statistics/figure_rows.py INSERT
INSERT INTO stats (start_at, resolution, job_id, is_part, node, runs, succeeded, failed, retries, last_at, took, took_us, took_max_us, took_sketch, delays, delay_us, delay_max_us, delay_sketch, kinds) SELECT d.start_at, d.resolution, d.job_id, d.is_part, d.node, d.runs, d.succeeded, d.failed, d.retries, d.last_at, d.took, d.took_us, d.took_max_us, d.took_sketch, d.delays, d.delay_us, d.delay_max_us, d.delay_sketch, d.kinds FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::bigint[], $4::text::bigint[], $5::text::text[], $6::text::bigint[], $7::text::bigint[], $8::text::bigint[], $9::text::bigint[], $10::text::bigint[], $11::text::bigint[], $12::text::bigint[], $13::text::bigint[], $14::text::text[], $15::text::bigint[], $16::text::bigint[], $17::text::bigint[], $18::text::text[], $19::text::text[]) AS d(start_at, resolution, job_id, is_part, node, runs, succeeded, failed, retries, last_at, took, took_us, took_max_us, took_sketch, delays, delay_us, delay_max_us, delay_sketch, kinds);

-- statistics/figure_rows.py DELETE_LEFT
DELETE FROM stats_left WHERE first_id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id));

-- statistics/figure_rows.py INSERT_LEFT
INSERT INTO stats_left (first_id, run_ids, left_at, look_at)
SELECT d.first_id, d.run_ids, d.left_at, d.look_at FROM unnest($1::text::bigint[], $2::text::text[], $3::text::bigint[], $4::text::bigint[]) AS d(first_id, run_ids, left_at, look_at);

-- statistics/figure_rows.py OLDEST
SELECT start_at, job_id FROM stats WHERE resolution = $1 AND start_at < $2
ORDER BY resolution, start_at, job_id LIMIT 1 OFFSET $3;

-- statistics/figure_rows.py DELETE
DELETE FROM stats WHERE resolution = $1 AND start_at <= $2
  AND (start_at < $2 OR job_id <= $3);

-- statistics/figure_rows.py DELETE_REST
DELETE FROM stats WHERE resolution = $1 AND start_at < $2;

-- statistics/node_loads.py INSERT
INSERT INTO node_loads (resolution, start_at, node, kind, samples, online, warning, offline, scheduled, skipped, leased, cpu_count, memory_count, disk_count, score_count, threads_count, running_count, slots_count, cpu_sum, memory_sum, disk_sum, score_sum, threads_sum, running_sum, slots_sum, cpu_max, memory_max, disk_max, score_max, threads_max, running_max, slots_max)
SELECT d.resolution, d.start_at, d.node, d.kind, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::text[], $4::text::text[]) AS d(resolution, start_at, node, kind)
WHERE true ON CONFLICT DO NOTHING;

-- statistics/node_loads.py ADD
UPDATE node_loads SET samples = node_loads.samples + d.samples, online = node_loads.online + d.online, warning = node_loads.warning + d.warning, offline = node_loads.offline + d.offline, scheduled = node_loads.scheduled + d.scheduled, skipped = node_loads.skipped + d.skipped, leased = node_loads.leased + d.leased, cpu_count = node_loads.cpu_count + d.cpu_count, memory_count = node_loads.memory_count + d.memory_count, disk_count = node_loads.disk_count + d.disk_count, score_count = node_loads.score_count + d.score_count, threads_count = node_loads.threads_count + d.threads_count, running_count = node_loads.running_count + d.running_count, slots_count = node_loads.slots_count + d.slots_count, cpu_sum = node_loads.cpu_sum + d.cpu_sum, memory_sum = node_loads.memory_sum + d.memory_sum, disk_sum = node_loads.disk_sum + d.disk_sum, score_sum = node_loads.score_sum + d.score_sum, threads_sum = node_loads.threads_sum + d.threads_sum, running_sum = node_loads.running_sum + d.running_sum, slots_sum = node_loads.slots_sum + d.slots_sum, cpu_max = CASE WHEN d.cpu_max > node_loads.cpu_max THEN d.cpu_max ELSE node_loads.cpu_max END, memory_max = CASE WHEN d.memory_max > node_loads.memory_max THEN d.memory_max ELSE node_loads.memory_max END, disk_max = CASE WHEN d.disk_max > node_loads.disk_max THEN d.disk_max ELSE node_loads.disk_max END, score_max = CASE WHEN d.score_max > node_loads.score_max THEN d.score_max ELSE node_loads.score_max END, threads_max = CASE WHEN d.threads_max > node_loads.threads_max THEN d.threads_max ELSE node_loads.threads_max END, running_max = CASE WHEN d.running_max > node_loads.running_max THEN d.running_max ELSE node_loads.running_max END, slots_max = CASE WHEN d.slots_max > node_loads.slots_max THEN d.slots_max ELSE node_loads.slots_max END FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::text[], $4::text::text[], $5::text::bigint[], $6::text::bigint[], $7::text::bigint[], $8::text::bigint[], $9::text::bigint[], $10::text::bigint[], $11::text::bigint[], $12::text::bigint[], $13::text::bigint[], $14::text::bigint[], $15::text::bigint[], $16::text::bigint[], $17::text::bigint[], $18::text::bigint[], $19::text::bigint[], $20::text::bigint[], $21::text::bigint[], $22::text::bigint[], $23::text::bigint[], $24::text::bigint[], $25::text::bigint[], $26::text::bigint[], $27::text::bigint[], $28::text::bigint[], $29::text::bigint[], $30::text::bigint[], $31::text::bigint[], $32::text::bigint[]) AS d(resolution, start_at, node, kind, samples, online, warning, offline, scheduled, skipped, leased, cpu_count, memory_count, disk_count, score_count, threads_count, running_count, slots_count, cpu_sum, memory_sum, disk_sum, score_sum, threads_sum, running_sum, slots_sum, cpu_max, memory_max, disk_max, score_max, threads_max, running_max, slots_max) WHERE node_loads.resolution = d.resolution AND node_loads.start_at = d.start_at AND node_loads.node = d.node;

-- statistics/node_loads.py FIRST
INSERT INTO history_progress (subject, ver, at, after_id, noted)
SELECT d.subject, 0, 0, 0, NULL FROM unnest($1::text::text[]) AS d(subject) WHERE true ON CONFLICT DO NOTHING;

-- statistics/node_loads.py MOVE
UPDATE history_progress SET ver = ver + 1, at = $1, noted = $2
WHERE subject = 'load' AND at = $3;

-- statistics/node_loads.py PROGRESS
SELECT at, noted FROM history_progress WHERE subject = 'load';

-- statistics/node_loads.py OF_NODE
SELECT s.start_at, s.kind, s.samples, s.online, s.warning, s.offline, s.scheduled, s.skipped, s.leased, s.cpu_count, s.memory_count, s.disk_count, s.score_count, s.threads_count, s.running_count, s.slots_count, s.cpu_sum, s.memory_sum, s.disk_sum, s.score_sum, s.threads_sum, s.running_sum, s.slots_sum, s.cpu_max, s.memory_max, s.disk_max, s.score_max, s.threads_max, s.running_max, s.slots_max FROM unnest($1::text::bigint[]) AS d(start_at) JOIN node_loads s
ON s.resolution = $2 AND s.start_at = d.start_at AND s.node = $3;

-- statistics/node_loads.py OF_ALL
SELECT s.node, max(s.kind) AS kind, sum(s.samples) AS samples, sum(s.online) AS online, sum(s.warning) AS warning, sum(s.offline) AS offline, sum(s.scheduled) AS scheduled, sum(s.skipped) AS skipped, sum(s.leased) AS leased, sum(s.cpu_count) AS cpu_count, sum(s.memory_count) AS memory_count, sum(s.disk_count) AS disk_count, sum(s.score_count) AS score_count, sum(s.threads_count) AS threads_count, sum(s.running_count) AS running_count, sum(s.slots_count) AS slots_count, sum(s.cpu_sum) AS cpu_sum, sum(s.memory_sum) AS memory_sum, sum(s.disk_sum) AS disk_sum, sum(s.score_sum) AS score_sum, sum(s.threads_sum) AS threads_sum, sum(s.running_sum) AS running_sum, sum(s.slots_sum) AS slots_sum, max(s.cpu_max) AS cpu_max, max(s.memory_max) AS memory_max, max(s.disk_max) AS disk_max, max(s.score_max) AS score_max, max(s.threads_max) AS threads_max, max(s.running_max) AS running_max, max(s.slots_max) AS slots_max FROM node_loads s
WHERE s.resolution = $1 AND s.start_at >= $2 AND s.start_at < $3
GROUP BY s.node ORDER BY s.node LIMIT $4;

-- statistics/node_loads.py OLDEST
SELECT start_at FROM node_loads WHERE resolution = $1 AND start_at < $2
ORDER BY resolution, start_at LIMIT 1 OFFSET $3;

-- statistics/node_loads.py DELETE
DELETE FROM node_loads WHERE resolution = $1 AND start_at < $2;

-- statistics/ranges.py OF_JOB
SELECT s.start_at, s.resolution, s.job_id, s.is_part, s.node, s.runs, s.succeeded, s.failed, s.retries, s.last_at, s.took, s.took_us, s.took_max_us, s.took_sketch, s.delays, s.delay_us, s.delay_max_us, s.delay_sketch, s.kinds FROM unnest($1::text::bigint[]) AS d(start_at) JOIN stats s
ON s.resolution = $2 AND s.start_at = d.start_at AND s.job_id = $3 LIMIT $4;

-- statistics/ranges.py OF_NODE
SELECT s.start_at, s.resolution, s.job_id, s.is_part, s.node, s.runs, s.succeeded, s.failed, s.retries, s.last_at, s.took, s.took_us, s.took_max_us, s.took_sketch, s.delays, s.delay_us, s.delay_max_us, s.delay_sketch, s.kinds FROM unnest($1::text::bigint[]) AS d(start_at) JOIN stats s
ON s.resolution = $2 AND s.start_at = d.start_at AND s.job_id = 0 AND s.is_part = 0
   AND s.node = $3;

-- statistics/ranges.py PACES
SELECT s.job_id, s.node, s.start_at, s.succeeded, s.failed, s.took, s.took_us, s.delays, s.delay_us
FROM unnest($1::text::bigint[], $2::text::bigint[]) AS d(start_at, job_id) JOIN stats s
ON s.resolution = 1 AND s.start_at = d.start_at AND s.job_id = d.job_id
WHERE s.took > 0 AND s.node > '';

-- statistics/ranges.py SLOT_TIMES
SELECT s.job_id, sum(CASE WHEN s.is_part = 0 THEN s.runs ELSE 0 END) AS runs,
       sum(CASE WHEN s.node > '' THEN s.took_us ELSE 0 END) AS busy_us
FROM unnest($1::text::bigint[], $2::text::bigint[]) AS d(start_at, job_id) JOIN stats s
ON s.resolution = 2 AND s.start_at = d.start_at AND s.job_id = d.job_id
GROUP BY s.job_id;

-- statistics/report_facts.py JOBS.own
SELECT q.*, j.namespace, j.name FROM (
  SELECT f.job_id, f.runs_now, f.succeeded_now, f.failed_now, f.retries_now, f.took_now, f.took_us_now, f.took_max_us_now, f.delays_now, f.delay_us_now, f.delay_max_us_now, f.runs_before, f.succeeded_before, f.failed_before, f.retries_before, f.took_before, f.took_us_before, f.took_max_us_before, f.delays_before, f.delay_us_before, f.delay_max_us_before, sum(f.runs_now) OVER () AS all_runs_now, sum(f.succeeded_now) OVER () AS all_succeeded_now, sum(f.failed_now) OVER () AS all_failed_now, sum(f.retries_now) OVER () AS all_retries_now, sum(f.took_now) OVER () AS all_took_now, sum(f.took_us_now) OVER () AS all_took_us_now, max(f.took_max_us_now) OVER () AS all_took_max_us_now, sum(f.delays_now) OVER () AS all_delays_now, sum(f.delay_us_now) OVER () AS all_delay_us_now, max(f.delay_max_us_now) OVER () AS all_delay_max_us_now, sum(f.runs_before) OVER () AS all_runs_before, sum(f.succeeded_before) OVER () AS all_succeeded_before, sum(f.failed_before) OVER () AS all_failed_before, sum(f.retries_before) OVER () AS all_retries_before, sum(f.took_before) OVER () AS all_took_before, sum(f.took_us_before) OVER () AS all_took_us_before, max(f.took_max_us_before) OVER () AS all_took_max_us_before, sum(f.delays_before) OVER () AS all_delays_before, sum(f.delay_us_before) OVER () AS all_delay_us_before, max(f.delay_max_us_before) OVER () AS all_delay_max_us_before,
    sum(CASE WHEN f.runs_now > 0 THEN 1 ELSE 0 END) OVER () AS ran_now,
    sum(CASE WHEN f.runs_before > 0 THEN 1 ELSE 0 END) OVER () AS ran_before, row_number() OVER (ORDER BY f.failed_now DESC, f.job_id) AS by_failing, row_number() OVER (ORDER BY f.took_us_now / CASE WHEN f.took_now > 0 THEN f.took_now ELSE 1 END DESC, f.job_id) AS by_slow, row_number() OVER (ORDER BY f.delay_us_now / CASE WHEN f.delays_now > 0 THEN f.delays_now ELSE 1 END DESC, f.job_id) AS by_late, row_number() OVER (ORDER BY CASE WHEN f.runs_before > 0 THEN f.took_us_now - f.took_us_before ELSE 0 END DESC, f.job_id) AS by_grown
  FROM (
    SELECT s.job_id, sum(CASE WHEN d.period = 0 THEN s.runs ELSE 0 END) AS runs_now, sum(CASE WHEN d.period = 0 THEN s.succeeded ELSE 0 END) AS succeeded_now, sum(CASE WHEN d.period = 0 THEN s.failed ELSE 0 END) AS failed_now, sum(CASE WHEN d.period = 0 THEN s.retries ELSE 0 END) AS retries_now, sum(CASE WHEN d.period = 0 THEN s.took ELSE 0 END) AS took_now, sum(CASE WHEN d.period = 0 THEN s.took_us ELSE 0 END) AS took_us_now, max(CASE WHEN d.period = 0 THEN s.took_max_us ELSE 0 END) AS took_max_us_now, sum(CASE WHEN d.period = 0 THEN s.delays ELSE 0 END) AS delays_now, sum(CASE WHEN d.period = 0 THEN s.delay_us ELSE 0 END) AS delay_us_now, max(CASE WHEN d.period = 0 THEN s.delay_max_us ELSE 0 END) AS delay_max_us_now, sum(CASE WHEN d.period = 1 THEN s.runs ELSE 0 END) AS runs_before, sum(CASE WHEN d.period = 1 THEN s.succeeded ELSE 0 END) AS succeeded_before, sum(CASE WHEN d.period = 1 THEN s.failed ELSE 0 END) AS failed_before, sum(CASE WHEN d.period = 1 THEN s.retries ELSE 0 END) AS retries_before, sum(CASE WHEN d.period = 1 THEN s.took ELSE 0 END) AS took_before, sum(CASE WHEN d.period = 1 THEN s.took_us ELSE 0 END) AS took_us_before, max(CASE WHEN d.period = 1 THEN s.took_max_us ELSE 0 END) AS took_max_us_before, sum(CASE WHEN d.period = 1 THEN s.delays ELSE 0 END) AS delays_before, sum(CASE WHEN d.period = 1 THEN s.delay_us ELSE 0 END) AS delay_us_before, max(CASE WHEN d.period = 1 THEN s.delay_max_us ELSE 0 END) AS delay_max_us_before FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::bigint[]) AS d(period, resolution, start_at) JOIN stats s
    ON s.resolution = d.resolution AND s.start_at = d.start_at AND s.job_id > 0
    WHERE s.is_part = 0 AND s.job_id IN (SELECT own.id FROM jobs own WHERE own.namespace = $4)
    GROUP BY s.job_id
  ) f
) q JOIN jobs j ON j.id = q.job_id
WHERE q.by_failing <= $5 OR q.by_slow <= $5 OR q.by_late <= $5 OR q.by_grown <= $5;

-- statistics/report_facts.py JOBS.every
SELECT q.*, j.namespace, j.name FROM (
  SELECT f.job_id, f.runs_now, f.succeeded_now, f.failed_now, f.retries_now, f.took_now, f.took_us_now, f.took_max_us_now, f.delays_now, f.delay_us_now, f.delay_max_us_now, f.runs_before, f.succeeded_before, f.failed_before, f.retries_before, f.took_before, f.took_us_before, f.took_max_us_before, f.delays_before, f.delay_us_before, f.delay_max_us_before, sum(f.runs_now) OVER () AS all_runs_now, sum(f.succeeded_now) OVER () AS all_succeeded_now, sum(f.failed_now) OVER () AS all_failed_now, sum(f.retries_now) OVER () AS all_retries_now, sum(f.took_now) OVER () AS all_took_now, sum(f.took_us_now) OVER () AS all_took_us_now, max(f.took_max_us_now) OVER () AS all_took_max_us_now, sum(f.delays_now) OVER () AS all_delays_now, sum(f.delay_us_now) OVER () AS all_delay_us_now, max(f.delay_max_us_now) OVER () AS all_delay_max_us_now, sum(f.runs_before) OVER () AS all_runs_before, sum(f.succeeded_before) OVER () AS all_succeeded_before, sum(f.failed_before) OVER () AS all_failed_before, sum(f.retries_before) OVER () AS all_retries_before, sum(f.took_before) OVER () AS all_took_before, sum(f.took_us_before) OVER () AS all_took_us_before, max(f.took_max_us_before) OVER () AS all_took_max_us_before, sum(f.delays_before) OVER () AS all_delays_before, sum(f.delay_us_before) OVER () AS all_delay_us_before, max(f.delay_max_us_before) OVER () AS all_delay_max_us_before,
    sum(CASE WHEN f.runs_now > 0 THEN 1 ELSE 0 END) OVER () AS ran_now,
    sum(CASE WHEN f.runs_before > 0 THEN 1 ELSE 0 END) OVER () AS ran_before, row_number() OVER (ORDER BY f.failed_now DESC, f.job_id) AS by_failing, row_number() OVER (ORDER BY f.took_us_now / CASE WHEN f.took_now > 0 THEN f.took_now ELSE 1 END DESC, f.job_id) AS by_slow, row_number() OVER (ORDER BY f.delay_us_now / CASE WHEN f.delays_now > 0 THEN f.delays_now ELSE 1 END DESC, f.job_id) AS by_late, row_number() OVER (ORDER BY CASE WHEN f.runs_before > 0 THEN f.took_us_now - f.took_us_before ELSE 0 END DESC, f.job_id) AS by_grown
  FROM (
    SELECT s.job_id, sum(CASE WHEN d.period = 0 THEN s.runs ELSE 0 END) AS runs_now, sum(CASE WHEN d.period = 0 THEN s.succeeded ELSE 0 END) AS succeeded_now, sum(CASE WHEN d.period = 0 THEN s.failed ELSE 0 END) AS failed_now, sum(CASE WHEN d.period = 0 THEN s.retries ELSE 0 END) AS retries_now, sum(CASE WHEN d.period = 0 THEN s.took ELSE 0 END) AS took_now, sum(CASE WHEN d.period = 0 THEN s.took_us ELSE 0 END) AS took_us_now, max(CASE WHEN d.period = 0 THEN s.took_max_us ELSE 0 END) AS took_max_us_now, sum(CASE WHEN d.period = 0 THEN s.delays ELSE 0 END) AS delays_now, sum(CASE WHEN d.period = 0 THEN s.delay_us ELSE 0 END) AS delay_us_now, max(CASE WHEN d.period = 0 THEN s.delay_max_us ELSE 0 END) AS delay_max_us_now, sum(CASE WHEN d.period = 1 THEN s.runs ELSE 0 END) AS runs_before, sum(CASE WHEN d.period = 1 THEN s.succeeded ELSE 0 END) AS succeeded_before, sum(CASE WHEN d.period = 1 THEN s.failed ELSE 0 END) AS failed_before, sum(CASE WHEN d.period = 1 THEN s.retries ELSE 0 END) AS retries_before, sum(CASE WHEN d.period = 1 THEN s.took ELSE 0 END) AS took_before, sum(CASE WHEN d.period = 1 THEN s.took_us ELSE 0 END) AS took_us_before, max(CASE WHEN d.period = 1 THEN s.took_max_us ELSE 0 END) AS took_max_us_before, sum(CASE WHEN d.period = 1 THEN s.delays ELSE 0 END) AS delays_before, sum(CASE WHEN d.period = 1 THEN s.delay_us ELSE 0 END) AS delay_us_before, max(CASE WHEN d.period = 1 THEN s.delay_max_us ELSE 0 END) AS delay_max_us_before FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::bigint[]) AS d(period, resolution, start_at) JOIN stats s
    ON s.resolution = d.resolution AND s.start_at = d.start_at AND s.job_id > 0
    WHERE s.is_part = 0
    GROUP BY s.job_id
  ) f
) q JOIN jobs j ON j.id = q.job_id
WHERE q.by_failing <= $4 OR q.by_slow <= $4 OR q.by_late <= $4 OR q.by_grown <= $4;

-- statistics/report_facts.py FIGURES
SELECT s.start_at, s.resolution, s.job_id, s.is_part, s.node, s.runs, s.succeeded, s.failed, s.retries, s.last_at, s.took, s.took_us, s.took_max_us, s.took_sketch, s.delays, s.delay_us, s.delay_max_us, s.delay_sketch, s.kinds FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::bigint[]) AS d(resolution, start_at, job_id) JOIN stats s
ON s.resolution = d.resolution AND s.start_at = d.start_at AND s.job_id = d.job_id AND s.is_part = 0;

-- statistics/report_facts.py CROWDED
SELECT s.start_at FROM unnest($1::text::bigint[]) AS d(start_at) JOIN stats s
ON s.resolution = $2 AND s.start_at = d.start_at AND s.job_id = 0 AND s.is_part = 0
   AND s.node = ''
ORDER BY s.runs DESC, s.start_at LIMIT $3;

-- statistics/report_facts.py CROWD.own
SELECT s.start_at, sum(s.runs) AS runs, count(DISTINCT s.job_id) AS jobs, max(s.delay_max_us) AS delay_max_us
FROM unnest($1::text::bigint[]) AS d(start_at) JOIN stats s
ON s.resolution = $2 AND s.start_at = d.start_at AND s.job_id > 0
WHERE s.is_part = 0 AND s.job_id IN (SELECT own.id FROM jobs own WHERE own.namespace = $3)
GROUP BY s.start_at ORDER BY runs DESC, s.start_at LIMIT $4;

-- statistics/report_facts.py CROWD.every
SELECT s.start_at, sum(s.runs) AS runs, count(DISTINCT s.job_id) AS jobs, max(s.delay_max_us) AS delay_max_us
FROM unnest($1::text::bigint[]) AS d(start_at) JOIN stats s
ON s.resolution = $2 AND s.start_at = d.start_at AND s.job_id > 0
WHERE s.is_part = 0
GROUP BY s.start_at ORDER BY runs DESC, s.start_at LIMIT $3;

-- statistics/report_facts.py NODES.own
SELECT s.node, sum(s.runs) AS runs, sum(s.failed) AS failed, sum(s.took_us) AS took_us
FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::bigint[]) AS d(period, resolution, start_at) JOIN stats s
ON s.resolution = d.resolution AND s.start_at = d.start_at AND s.job_id > 0
WHERE d.period = 0 AND s.node > '' AND s.job_id IN (SELECT own.id FROM jobs own WHERE own.namespace = $4)
GROUP BY s.node ORDER BY took_us DESC, s.node LIMIT $5;

-- statistics/report_facts.py NODES.every
SELECT s.node, sum(s.runs) AS runs, sum(s.failed) AS failed, sum(s.took_us) AS took_us
FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::bigint[]) AS d(period, resolution, start_at) JOIN stats s
ON s.resolution = d.resolution AND s.start_at = d.start_at AND s.job_id = 0
WHERE d.period = 0 AND s.node > ''
GROUP BY s.node ORDER BY took_us DESC, s.node LIMIT $4;

-- statistics/report_facts.py LOADS
SELECT s.node, max(s.kind) AS kind, sum(s.samples) AS samples, sum(s.online) AS online, sum(s.warning) AS warning, sum(s.offline) AS offline, sum(s.scheduled) AS scheduled, sum(s.skipped) AS skipped, sum(s.leased) AS leased, sum(s.cpu_count) AS cpu_count, sum(s.memory_count) AS memory_count, sum(s.disk_count) AS disk_count, sum(s.score_count) AS score_count, sum(s.threads_count) AS threads_count, sum(s.running_count) AS running_count, sum(s.slots_count) AS slots_count, sum(s.cpu_sum) AS cpu_sum, sum(s.memory_sum) AS memory_sum, sum(s.disk_sum) AS disk_sum, sum(s.score_sum) AS score_sum, sum(s.threads_sum) AS threads_sum, sum(s.running_sum) AS running_sum, sum(s.slots_sum) AS slots_sum, max(s.cpu_max) AS cpu_max, max(s.memory_max) AS memory_max, max(s.disk_max) AS disk_max, max(s.score_max) AS score_max, max(s.threads_max) AS threads_max, max(s.running_max) AS running_max, max(s.slots_max) AS slots_max FROM unnest($1::text::bigint[], $2::text::bigint[], $3::text::bigint[]) AS d(period, resolution, start_at) JOIN node_loads s
ON s.resolution = d.resolution AND s.start_at = d.start_at
WHERE d.period = 0 GROUP BY s.node ORDER BY s.node LIMIT $4;

-- statistics/report_facts.py SKIPS.own
    SELECT s.reason, sum(s.count * (
    CASE WHEN s.to_at = s.from_at THEN 1.0
         ELSE 1.0 * ((CASE WHEN s.to_at < $1 THEN s.to_at ELSE $1 END)
                     - (CASE WHEN s.from_at > $2 THEN s.from_at ELSE $2 END)) / (s.to_at - s.from_at) END
)) AS instants
    FROM jobs own JOIN skips s ON s.job_id = own.id AND s.to_at >= $2
    WHERE s.from_at < $1 AND own.namespace = $3 GROUP BY s.reason;

-- statistics/report_facts.py SKIPS.every
    SELECT s.reason, sum(s.count * (
    CASE WHEN s.to_at = s.from_at THEN 1.0
         ELSE 1.0 * ((CASE WHEN s.to_at < $1 THEN s.to_at ELSE $1 END)
                     - (CASE WHEN s.from_at > $2 THEN s.from_at ELSE $2 END)) / (s.to_at - s.from_at) END
)) AS instants
    FROM jobs own JOIN skips s ON s.job_id = own.id AND s.to_at >= $2
    WHERE s.from_at < $1  GROUP BY s.reason;

-- statistics/report_facts.py ALERT_COUNTS.own
SELECT q.level, sum(q.fired) AS fired, sum(q.still) AS still FROM (
  SELECT a.level, count(*) AS fired, 0 AS still FROM alerts a
  WHERE a.resolved_at >= $1 AND a.fired_at >= $1 AND a.fired_at < $2 AND a.namespace = $3 GROUP BY a.level
  UNION ALL
  SELECT a.level, count(*) AS fired, count(*) AS still FROM alerts a
  WHERE a.resolved_at IS NULL AND a.fired_at >= $1 AND a.fired_at < $2 AND a.namespace = $3 GROUP BY a.level
) q GROUP BY q.level;

-- statistics/report_facts.py ALERT_COUNTS.every
SELECT q.level, sum(q.fired) AS fired, sum(q.still) AS still FROM (
  SELECT a.level, count(*) AS fired, 0 AS still FROM alerts a
  WHERE a.resolved_at >= $1 AND a.fired_at >= $1 AND a.fired_at < $2  GROUP BY a.level
  UNION ALL
  SELECT a.level, count(*) AS fired, count(*) AS still FROM alerts a
  WHERE a.resolved_at IS NULL AND a.fired_at >= $1 AND a.fired_at < $2  GROUP BY a.level
) q GROUP BY q.level;

-- statistics/report_facts.py ALERTS.own
SELECT a.id, a.open_key, a.namespace, a.rule, a.kind, a.level, a.state, a.job_id, a.cause, a.channels, a.runbook, a.began_at, a.fired_at, a.last_at, a.resolved_at, a.acked_at, a.acked_by, a.ack_note, a.silence_id, a.step, a.escalates_from, a.told_at, a.acted, a.seen, a.ver, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id) AS subject_count, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id AND s.ended_at IS NULL) AS open_count FROM alerts a
WHERE (a.resolved_at >= $1 OR a.resolved_at IS NULL) AND a.fired_at >= $1 AND a.fired_at < $2 AND a.namespace = $3
ORDER BY CASE a.level WHEN 'critical' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END, a.id DESC LIMIT $4;

-- statistics/report_facts.py ALERTS.every
SELECT a.id, a.open_key, a.namespace, a.rule, a.kind, a.level, a.state, a.job_id, a.cause, a.channels, a.runbook, a.began_at, a.fired_at, a.last_at, a.resolved_at, a.acked_at, a.acked_by, a.ack_note, a.silence_id, a.step, a.escalates_from, a.told_at, a.acted, a.seen, a.ver, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id) AS subject_count, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id AND s.ended_at IS NULL) AS open_count FROM alerts a
WHERE (a.resolved_at >= $1 OR a.resolved_at IS NULL) AND a.fired_at >= $1 AND a.fired_at < $2
ORDER BY CASE a.level WHEN 'critical' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END, a.id DESC LIMIT $3;

-- statistics/report_facts.py COUNT_OF_JOBS.own
SELECT count(*) AS jobs,
       coalesce(sum(CASE WHEN own.created_at >= $1 AND own.created_at < $2 THEN 1 ELSE 0 END), 0) AS fresh
FROM jobs own WHERE own.deleted_at = 0 AND own.namespace = $3;

-- statistics/report_facts.py COUNT_OF_JOBS.every
SELECT count(*) AS jobs,
       coalesce(sum(CASE WHEN own.created_at >= $1 AND own.created_at < $2 THEN 1 ELSE 0 END), 0) AS fresh
FROM jobs own WHERE own.deleted_at = 0;

-- statistics/report_schedules.py ALL
SELECT namespace, name, version, document, next_at, last_at, updated_at, updated_by FROM report_schedules ORDER BY namespace, name LIMIT 1000;

-- statistics/report_schedules.py OF
SELECT namespace, name, version, document, next_at, last_at, updated_at, updated_by FROM report_schedules WHERE namespace = $1 ORDER BY name LIMIT 1000;

-- statistics/report_schedules.py FIND
SELECT namespace, name, version, document, next_at, last_at, updated_at, updated_by FROM report_schedules WHERE namespace = $1 AND name = $2;

-- statistics/report_schedules.py ADD
INSERT INTO report_schedules (namespace, name, version, document, next_at, updated_at, updated_by, reason)
SELECT d.namespace, d.name, 1, d.document, d.next_at, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint), d.made_by, d.reason FROM unnest($1::text::text[], $2::text::text[], $3::text::text[], $4::text::bigint[], $5::text::text[], $6::text::text[]) AS d(namespace, name, document, next_at, made_by, reason) WHERE true
ON CONFLICT DO NOTHING;

-- statistics/report_schedules.py CHANGE
UPDATE report_schedules SET version = version + 1, document = $1, next_at = $2, updated_at = CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint),
                            updated_by = $3, reason = $4
WHERE namespace = $5 AND name = $6;

-- statistics/report_schedules.py REMOVE
DELETE FROM report_schedules WHERE namespace = $1 AND name = $2;

-- statistics/report_schedules.py NEXT
SELECT min(next_at) FROM report_schedules WHERE next_at > 0;

-- statistics/report_schedules.py DUE
SELECT namespace, name, version, document, next_at, last_at, updated_at, updated_by FROM report_schedules WHERE next_at <= $1 ORDER BY next_at, namespace, name LIMIT $2;

-- statistics/report_schedules.py MOVE
UPDATE report_schedules SET next_at = $1, last_at = $2
WHERE namespace = $3 AND name = $4 AND next_at = $5 AND version = $6;

-- statistics/uncounted_runs.py PROGRESS
SELECT coalesce(max(p.ver), 0) AS ver, coalesce(max(p.counted_id), 0) AS counted_id,
       (SELECT coalesce(max(r.id), 0) FROM runs r) AS newest_id,
       (SELECT min(l.look_at) FROM stats_left l) AS look_at, CAST(extract(epoch FROM statement_timestamp()) * 1000000 AS bigint) AS now_us
FROM stats_progress p WHERE p.id = 1;

-- statistics/uncounted_runs.py PASSED
SELECT q.id, q.job_id, q.is_part, n.name, q.state, q.kind, q.failures, q.not_before, q.created_at, q.started_at,
       q.ended_at, q.follow FROM (
  SELECT
r.id, r.job_id, CASE WHEN r.shard = -1 AND r.parent_id IS NULL THEN 0 ELSE 1 END AS is_part, r.state, r.kind,
r.failures, r.not_before, r.created_at, r.started_at, r.ended_at, r.session_id, r.follow FROM runs r WHERE r.id > $1 AND r.id <= $2 ORDER BY r.id LIMIT $3
) q LEFT JOIN nodes n ON n.id = q.session_id;

-- statistics/uncounted_runs.py FOUND
SELECT q.id, q.job_id, q.is_part, n.name, q.state, q.kind, q.failures, q.not_before, q.created_at, q.started_at,
       q.ended_at, q.follow FROM (
  SELECT
r.id, r.job_id, CASE WHEN r.shard = -1 AND r.parent_id IS NULL THEN 0 ELSE 1 END AS is_part, r.state, r.kind,
r.failures, r.not_before, r.created_at, r.started_at, r.ended_at, r.session_id, r.follow FROM runs r WHERE r.id IN (SELECT d.id FROM unnest($1::text::bigint[]) AS d(id))
) q LEFT JOIN nodes n ON n.id = q.session_id;

-- statistics/uncounted_runs.py UNCOUNTED
SELECT q.id, q.job_id, q.is_part, n.name, q.state, q.kind, q.failures, q.not_before, q.created_at, q.started_at,
       q.ended_at, q.follow FROM (
  SELECT
r.id, r.job_id, CASE WHEN r.shard = -1 AND r.parent_id IS NULL THEN 0 ELSE 1 END AS is_part, r.state, r.kind,
r.failures, r.not_before, r.created_at, r.started_at, r.ended_at, r.session_id, r.follow FROM runs r WHERE r.job_id = $1 AND r.id > $2 ORDER BY r.id DESC LIMIT $3
) q LEFT JOIN nodes n ON n.id = q.session_id;

-- statistics/uncounted_runs.py LEFT
SELECT first_id, run_ids, left_at, look_at FROM stats_left ORDER BY look_at LIMIT $1;

-- store.py _SETTINGS
SELECT current_setting('transaction_isolation'), current_setting('synchronous_commit');
