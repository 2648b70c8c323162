-- Every statement of the store as mariadb gets it. Written by `make sql`: change the code, then run it.

-- alerts/alert_rows.py OF_IDS
SELECT a.id, a.open_key, a.namespace, a.rule, a.kind, a.level, a.state, a.job_id, a.cause, a.channels, a.runbook, a.began_at, a.fired_at, a.last_at, a.resolved_at, a.acked_at, a.acked_by, a.ack_note, a.silence_id, a.step, a.escalates_from, a.told_at, a.acted, a.seen, a.ver, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id) AS subject_count, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id AND s.ended_at IS NULL) AS open_count FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN alerts a ON a.id = d.id WHERE true;

-- alerts/alert_rows.py SUBJECTS_OF
SELECT s.alert_id, s.subject_key, s.subject, s.namespace, s.job_id, s.run_id, s.count, s.first_at, s.last_at, s.ended_at, s.recent, s.data FROM alert_subjects s WHERE s.alert_id = %(alert)s ORDER BY s.subject_key LIMIT %(rows)s;

-- alerts/alert_rows.py FIRST_SUBJECTS
SELECT q.* FROM (
  SELECT s.alert_id, s.subject_key, s.subject, s.namespace, s.job_id, s.run_id, s.count, s.first_at, s.last_at, s.ended_at, s.recent, s.data, row_number() OVER (PARTITION BY s.alert_id ORDER BY s.subject_key) AS nth
  FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN alert_subjects s ON s.alert_id = d.id WHERE true
) q WHERE q.nth <= %(most)s;

-- alerts/channels.py ALL
SELECT namespace, name, kind, version, document, updated_at, updated_by, last_sent_at, failures, failing_since, last_error FROM channels ORDER BY namespace, name LIMIT 1000;

-- alerts/channels.py OF
SELECT namespace, name, kind, version, document, updated_at, updated_by, last_sent_at, failures, failing_since, last_error FROM channels WHERE namespace = '' OR namespace = %(namespace)s ORDER BY namespace, name LIMIT 1000;

-- alerts/channels.py FIND
SELECT namespace, name, kind, version, document, updated_at, updated_by, last_sent_at, failures, failing_since, last_error FROM channels WHERE name = %(name)s AND length(name) = length(%(name)s) AND (namespace = '' OR namespace = %(namespace)s) ORDER BY namespace DESC LIMIT 1;

-- alerts/channels.py ADD
INSERT INTO channels (namespace, name, kind, version, document, updated_at, updated_by, reason, failures)
SELECT d.namespace, d.name, d.kind, 1, d.document, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), d.made_by, d.reason, 0 FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (namespace LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, kind LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, document LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, made_by LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, reason LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[5]' NULL ON EMPTY ERROR ON ERROR)) AS d WHERE true
ON DUPLICATE KEY UPDATE channels.namespace = channels.namespace;

-- alerts/channels.py CHANGE
UPDATE channels SET kind = %(kind)s, version = version + 1, document = %(document)s, updated_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)),
                    updated_by = %(made_by)s, reason = %(reason)s, failures = 0, failing_since = NULL, last_error = NULL
WHERE namespace = %(namespace)s AND length(namespace) = length(%(namespace)s) AND name = %(name)s AND length(name) = length(%(name)s) AND version = %(version)s;

-- alerts/channels.py VERSION
SELECT version FROM channels WHERE namespace = %(namespace)s AND length(namespace) = length(%(namespace)s) AND name = %(name)s AND length(name) = length(%(name)s);

-- alerts/channels.py REMOVE
DELETE FROM channels WHERE namespace = %(namespace)s AND length(namespace) = length(%(namespace)s) AND name = %(name)s AND length(name) = length(%(name)s);

-- alerts/heartbeat_rows.py DOWN
SELECT h.id, h.namespace, h.name, h.version, h.document, h.is_paused, h.pings, h.last_at, h.last_kind, h.last_text, h.exit_code, h.ok_at, h.started_at, h.took_us, h.due_at, h.deadline_at, h.trouble, h.alarm_at, h.created_at, h.updated_at, h.updated_by, h.reason, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AS now FROM heartbeats h WHERE h.alarm_at <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) ORDER BY h.alarm_at, h.id LIMIT %(rows)s;

-- alerts/heartbeats.py ALL
SELECT h.id, h.namespace, h.name, h.version, h.document, h.is_paused, h.pings, h.last_at, h.last_kind, h.last_text, h.exit_code, h.ok_at, h.started_at, h.took_us, h.due_at, h.deadline_at, h.trouble, h.alarm_at, h.created_at, h.updated_at, h.updated_by, h.reason, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AS now FROM heartbeats h ORDER BY h.namespace, h.name LIMIT %(rows)s;

-- alerts/heartbeats.py OF_NAMESPACE
SELECT h.id, h.namespace, h.name, h.version, h.document, h.is_paused, h.pings, h.last_at, h.last_kind, h.last_text, h.exit_code, h.ok_at, h.started_at, h.took_us, h.due_at, h.deadline_at, h.trouble, h.alarm_at, h.created_at, h.updated_at, h.updated_by, h.reason, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AS now FROM heartbeats h WHERE h.namespace = %(namespace)s AND length(h.namespace) = length(%(namespace)s) ORDER BY h.name LIMIT %(rows)s;

-- alerts/heartbeats.py ONE
SELECT h.id, h.namespace, h.name, h.version, h.document, h.is_paused, h.pings, h.last_at, h.last_kind, h.last_text, h.exit_code, h.ok_at, h.started_at, h.took_us, h.due_at, h.deadline_at, h.trouble, h.alarm_at, h.created_at, h.updated_at, h.updated_by, h.reason, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AS now FROM heartbeats h WHERE h.namespace = %(namespace)s AND length(h.namespace) = length(%(namespace)s) AND h.name = %(name)s AND length(h.name) = length(%(name)s);

-- alerts/heartbeats.py COUNT
SELECT count(*) FROM heartbeats;

-- alerts/heartbeats.py FIRST
INSERT INTO heartbeats (namespace, name, version, document, is_paused, pings, last_text, created_at, updated_at,
                            updated_by, reason)
SELECT d.namespace, d.name, 1, d.document, 0, 0, '', TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), d.made_by, d.reason FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (namespace LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, document LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, made_by LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, reason LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4]' NULL ON EMPTY ERROR ON ERROR)) AS d WHERE true
ON DUPLICATE KEY UPDATE heartbeats.namespace = heartbeats.namespace;

-- alerts/heartbeats.py NEXT
UPDATE heartbeats SET version = version + 1, document = %(document)s, is_paused = %(is_paused)s, started_at = %(started_at)s,
                      due_at = %(due_at)s, deadline_at = %(deadline_at)s, trouble = %(trouble)s, alarm_at = %(alarm_at)s,
                      updated_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), updated_by = %(made_by)s, reason = %(reason)s
WHERE id = %(id)s AND version = %(version)s AND pings = %(pings)s;

-- alerts/heartbeats.py HEARD
UPDATE heartbeats SET pings = pings + 1, last_at = %(last_at)s, last_kind = %(last_kind)s, last_text = %(last_text)s,
                      exit_code = %(exit_code)s, ok_at = %(ok_at)s, started_at = %(started_at)s, took_us = %(took_us)s,
                      due_at = %(due_at)s, deadline_at = %(deadline_at)s, trouble = %(trouble)s, alarm_at = %(alarm_at)s
WHERE id = %(id)s AND version = %(version)s AND pings = %(pings)s;

-- alerts/heartbeats.py PINGED
INSERT INTO heartbeat_pings (heartbeat_id, number, at, kind, text, exit_code, took_us, made_by)
VALUES (%(id)s, %(number)s, %(at)s, %(kind)s, %(text)s, %(exit_code)s, %(took_us)s, %(made_by)s);

-- alerts/heartbeats.py FORGET
DELETE FROM heartbeat_pings WHERE heartbeat_id = %(id)s AND number <= %(last)s;

-- alerts/heartbeats.py PINGS
SELECT p.number, p.at, p.kind, p.text, p.exit_code, p.took_us, p.made_by
FROM heartbeat_pings p JOIN heartbeats h ON h.id = p.heartbeat_id
WHERE h.namespace = %(namespace)s AND length(h.namespace) = length(%(namespace)s) AND h.name = %(name)s AND length(h.name) = length(%(name)s) ORDER BY p.number DESC LIMIT %(rows)s;

-- alerts/heartbeats.py WATCHED
SELECT h.id, h.namespace, h.name, h.version, h.document, h.is_paused, h.pings, h.last_at, h.last_kind, h.last_text, h.exit_code, h.ok_at, h.started_at, h.took_us, h.due_at, h.deadline_at, h.trouble, h.alarm_at, h.created_at, h.updated_at, h.updated_by, h.reason, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AS now FROM heartbeats h
WHERE h.alarm_at >= %(since)s AND h.trouble IS NULL AND h.is_paused = 0 ORDER BY h.alarm_at, h.id LIMIT %(rows)s;

-- alerts/heartbeats.py EXCUSE
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, version BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, pings BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, started_at BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, due_at BIGINT PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, deadline_at BIGINT PATH '$[5]' NULL ON EMPTY ERROR ON ERROR, alarm_at BIGINT PATH '$[6]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN heartbeats SET heartbeats.started_at = d.started_at, heartbeats.due_at = d.due_at, heartbeats.deadline_at = d.deadline_at, heartbeats.alarm_at = d.alarm_at WHERE heartbeats.id = d.id AND heartbeats.version = d.version AND heartbeats.pings = d.pings;

-- alerts/heartbeats.py REMOVE
DELETE FROM heartbeats WHERE id = %(id)s;

-- alerts/looks.py MARKS
SELECT TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AS now,
  (SELECT count(*) FROM alert_rules) AS rules, (SELECT coalesce(max(updated_at), 0) FROM alert_rules) AS rules_at,
  (SELECT count(*) FROM silences WHERE until > TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AND ended_by IS NULL) AS silences,
  (SELECT coalesce(max(id), 0) FROM silences) AS silence_id,
  (SELECT count(*) FROM channels) AS channels, (SELECT coalesce(max(updated_at), 0) FROM channels) AS channels_at,
  (SELECT count(*) FROM job_alerts) AS jobs, (SELECT coalesce(max(saved_at), 0) FROM job_alerts) AS jobs_at,
  (SELECT count(*) FROM (SELECT 1 AS one FROM failure_signs LIMIT 1) s) AS signs,
  (SELECT count(*) FROM (SELECT 1 AS one FROM alerts WHERE resolved_at IS NULL LIMIT 1) a) AS known,
  (SELECT count(*) FROM (SELECT 1 AS one FROM heartbeats WHERE alarm_at <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) LIMIT 1) h) AS down;

-- alerts/looks.py SIGNS
SELECT s.run_id, s.job_id, s.at, r.kind, r.error_type, r.error, n.name AS node
FROM failure_signs s LEFT JOIN runs r ON r.id = s.run_id LEFT JOIN nodes n ON n.id = r.session_id
ORDER BY s.run_id LIMIT %(rows)s;

-- alerts/looks.py KNOWN
SELECT a.id, a.open_key, a.namespace, a.rule, a.kind, a.level, a.state, a.job_id, a.cause, a.channels, a.runbook, a.began_at, a.fired_at, a.last_at, a.resolved_at, a.acked_at, a.acked_by, a.ack_note, a.silence_id, a.step, a.escalates_from, a.told_at, a.acted, a.seen, a.ver, 0 AS subject_count, 0 AS open_count, s.alert_id, s.subject_key, s.subject, s.namespace AS own, s.job_id AS own_job, s.run_id, s.count, s.first_at, s.last_at AS seen_at, s.ended_at, s.recent, s.data,
  CASE WHEN a.kind = 'failed' AND s.ended_at IS NULL THEN
    CASE WHEN EXISTS (SELECT 1 FROM runs r WHERE r.job_id = s.job_id AND r.id > s.run_id AND r.shard = -1
                                            AND r.state = 'SUCCEEDED')
           OR EXISTS (SELECT 1 FROM jobs j WHERE j.id = s.job_id AND j.deleted_at > 0) THEN 1 ELSE 0 END
  ELSE 0 END AS is_well
FROM alerts a LEFT JOIN alert_subjects s ON s.alert_id = a.id
WHERE a.resolved_at IS NULL AND a.id >= %(from_id)s ORDER BY a.resolved_at, a.id, s.subject_key LIMIT %(rows)s;

-- alerts/looks.py OF_JOBS
   SELECT r.job_id, r.state, min(r.id) AS run_id, count(*) AS runs,
          min(CASE WHEN r.state = 'PENDING' THEN r.not_before ELSE r.started_at END) AS since,
          min(r.parked) AS parked
FROM job_alerts a JOIN runs r ON r.line_job = a.job_id AND r.state IN ('PENDING', 'RUNNING')
                                         AND r.shard = -1
   WHERE (r.state = 'PENDING' AND r.attempt = 0 AND r.not_before < TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - a.late_us)
      OR (r.state = 'RUNNING' AND r.started_at < TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - a.slower_us)
   GROUP BY r.job_id, r.state ORDER BY r.job_id LIMIT %(rows)s;

-- alerts/looks.py LIVE
   SELECT r.job_id, r.state, min(r.id) AS run_id, count(*) AS runs,
          min(CASE WHEN r.state = 'PENDING' THEN r.not_before ELSE r.started_at END) AS since,
          min(r.parked) AS parked
FROM runs r
   WHERE r.state IN ('PENDING', 'RUNNING') AND r.shard = -1
     AND ((r.state = 'PENDING' AND r.attempt = 0 AND r.not_before < TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - %(late)s)
       OR (r.state = 'RUNNING' AND r.started_at < TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - %(slower)s))
   GROUP BY r.job_id, r.state ORDER BY r.job_id LIMIT %(rows)s;

-- alerts/looks.py UNDECIDED
SELECT a.job_id, 'PENDING' AS state, 0 AS run_id, 1 AS runs, c.next_due_at AS since, 0 AS parked
FROM job_alerts a JOIN cursors c ON c.job_id = a.job_id
WHERE c.state = 'active' AND c.next_at IS NOT NULL AND c.next_due_at < TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - a.late_us
ORDER BY a.job_id LIMIT %(rows)s;

-- alerts/looks.py JOBS
SELECT j.id, j.name, j.namespace, j.deleted_at, v.definition
FROM jobs j JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
WHERE j.id IN (SELECT d.id FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d);

-- alerts/looks.py ANOMALIES
SELECT j.id, j.name, j.namespace, j.deleted_at, v.definition, a.kind, a.began_at, a.facts
FROM anomalies a JOIN jobs j ON j.id = a.job_id JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
WHERE a.is_open = 1 AND j.deleted_at = 0 ORDER BY a.id LIMIT %(rows)s;

-- alerts/notices.py PUT
INSERT INTO outbox (notice_key, delivery_id, kind, level, namespace, channel, alert_id, data, state, attempt,
                        is_repeat, created_at, next_at)
SELECT d.notice_key, d.delivery_id, d.kind, d.level, d.namespace, d.channel, d.alert_id, d.data, 'waiting', 0, 0,
       %(now)s, CASE WHEN d.not_before > %(now)s THEN d.not_before ELSE %(now)s END
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (notice_key LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, delivery_id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, kind LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, level LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, namespace LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, channel LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[5]' NULL ON EMPTY ERROR ON ERROR, alert_id BIGINT PATH '$[6]' NULL ON EMPTY ERROR ON ERROR, data LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[7]' NULL ON EMPTY ERROR ON ERROR, not_before BIGINT PATH '$[8]' NULL ON EMPTY ERROR ON ERROR)) AS d WHERE true ON DUPLICATE KEY UPDATE outbox.notice_key = outbox.notice_key;

-- alerts/outbox.py DUE
SELECT id, state FROM outbox WHERE next_at <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) ORDER BY next_at, id LIMIT %(rows)s FOR UPDATE SKIP LOCKED;

-- alerts/outbox.py CLAIM
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, ran_out BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN outbox FORCE INDEX (PRIMARY) SET outbox.state = 'sending', outbox.claim = %(claim)s, outbox.sent_by = %(sent_by)s, outbox.attempt = outbox.attempt + 1, outbox.next_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) + %(for_us)s, outbox.is_repeat = CASE WHEN d.ran_out = 1 THEN 1 ELSE outbox.is_repeat END WHERE outbox.id = d.id AND outbox.next_at <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6));

-- alerts/outbox.py OF_IDS
SELECT o.id, o.notice_key, o.delivery_id, o.kind, o.level, o.namespace, o.channel, o.alert_id, o.data, o.state, o.attempt, o.is_repeat, o.created_at, o.next_at, o.claim, o.settled_at, o.sent_by, o.error FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN outbox o FORCE INDEX (PRIMARY) ON o.id = d.id WHERE true;

-- alerts/outbox.py SETTLE
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, claim LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, state LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, retry_in BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, error LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, tries_back BIGINT PATH '$[5]' NULL ON EMPTY ERROR ON ERROR, repeats BIGINT PATH '$[6]' NULL ON EMPTY ERROR ON ERROR, is_final BIGINT PATH '$[7]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN outbox FORCE INDEX (PRIMARY) SET outbox.state = d.state, outbox.next_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) + d.retry_in, outbox.error = d.error, outbox.claim = NULL, outbox.attempt = outbox.attempt - d.tries_back, outbox.is_repeat = CASE WHEN d.repeats = 1 THEN 1 ELSE outbox.is_repeat END, outbox.settled_at = CASE WHEN d.is_final = 1 THEN TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) END WHERE outbox.id = d.id AND outbox.claim = d.claim AND outbox.state = 'sending';

-- alerts/outbox.py HEALTH
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (namespace LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, is_well BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, failures BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, error LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN channels SET channels.last_sent_at = CASE WHEN d.is_well = 1 THEN TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) ELSE channels.last_sent_at END, channels.failures = CASE WHEN d.is_well = 1 THEN 0 ELSE channels.failures + d.failures END, channels.failing_since = CASE WHEN d.is_well = 0 THEN coalesce(channels.failing_since, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6))) END, channels.last_error = d.error WHERE channels.namespace = d.namespace AND channels.name = d.name;

-- alerts/outbox.py SENT_LATELY
SELECT d.namespace, d.name, count(*) AS sent, min(o.settled_at) AS oldest_at
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (namespace LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, within BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN outbox o ON o.settled_at > TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - d.within AND o.namespace = d.namespace AND o.channel = d.name
WHERE o.state = 'sent' GROUP BY d.namespace, d.name;

-- alerts/outbox.py BEFORE
SELECT o.id, o.notice_key, o.delivery_id, o.kind, o.level, o.namespace, o.channel, o.alert_id, o.data, o.state, o.attempt, o.is_repeat, o.created_at, o.next_at, o.claim, o.settled_at, o.sent_by, o.error FROM outbox o WHERE o.id < %(before)s ORDER BY o.id DESC LIMIT %(rows)s;

-- alerts/outbox.py OF_ALERT
SELECT o.id, o.notice_key, o.delivery_id, o.kind, o.level, o.namespace, o.channel, o.alert_id, o.data, o.state, o.attempt, o.is_repeat, o.created_at, o.next_at, o.claim, o.settled_at, o.sent_by, o.error FROM outbox o WHERE o.alert_id = %(alert_id)s AND o.id < %(before)s ORDER BY o.id DESC LIMIT %(rows)s;

-- alerts/outbox.py NEXT
SELECT min(next_at) FROM outbox WHERE next_at > 0;

-- alerts/outbox.py WAITING
SELECT namespace, channel, count(*) AS waiting FROM outbox WHERE next_at > 0 GROUP BY namespace, channel;

-- alerts/outbox.py OLD
SELECT id FROM outbox WHERE settled_at < %(before)s ORDER BY settled_at, id LIMIT %(rows)s;

-- alerts/outbox.py FORGET
DELETE outbox FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN outbox FORCE INDEX (PRIMARY) ON outbox.id = d.id WHERE true AND settled_at < %(before)s;

-- alerts/questions.py LAST_RUNS
SELECT d.job_id, d.of_last, r.id, r.state FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, of_last BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN runs r ON r.job_id = d.job_id AND r.shard = -1
  AND r.id >= coalesce((SELECT x.id FROM runs x WHERE x.job_id = d.job_id AND x.shard = -1
                          AND x.state IN ('SUCCEEDED', 'FAILED') AND (x.follow & 128) <> 128
                        ORDER BY x.id DESC LIMIT 1 OFFSET %(depth)s), 0)
WHERE r.state IN ('SUCCEEDED', 'FAILED') AND (r.follow & 128) <> 128 AND r.parent_id IS NULL;

-- alerts/questions.py FAILED_SINCE
SELECT d.job_id, d.within_us, count(DISTINCT coalesce(r.parent_id, r.id)) AS failed
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, within_us BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN attempts a ON a.job_id = d.job_id AND a.ended_at > TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - d.within_us
JOIN runs r ON r.id = a.run_id AND r.state = 'FAILED' AND (r.follow & 128) <> 128
GROUP BY d.job_id, d.within_us;

-- alerts/questions.py SILENT
SELECT j.id FROM jobs j JOIN cursors c ON c.job_id = j.id
WHERE j.deleted_at = 0 AND c.state = 'active' AND c.next_at IS NOT NULL AND j.created_at < TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - %(lasts)s
  AND j.id NOT IN (SELECT s.job_id FROM stats s
                   WHERE s.resolution = %(resolution)s AND s.start_at >= %(since)s AND s.succeeded > 0)
ORDER BY j.id LIMIT %(rows)s;

-- alerts/questions.py SKETCHES
SELECT s.job_id, s.took_sketch FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (start_at BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, job_id BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN stats s
ON s.resolution = 1 AND s.start_at = d.start_at AND s.job_id = d.job_id
WHERE s.is_part = 0 AND s.took > 0;

-- alerts/questions.py NAMED
SELECT j.id, j.namespace, j.name FROM jobs j
WHERE j.deleted_at = 0 AND j.name IN (SELECT d.name FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d) ORDER BY j.id LIMIT %(rows)s;

-- alerts/questions.py ENDED
SELECT s.job_id, s.succeeded, s.failed, s.retries, s.delay_max_us FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (start_at BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, job_id BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN stats s
ON s.resolution = 0 AND s.start_at = d.start_at AND s.job_id = d.job_id
WHERE s.is_part = 0 AND (s.job_id > 0 OR s.node = '');

-- alerts/questions.py POLICIES
SELECT a.job_id, j.namespace, a.document FROM job_alerts a
JOIN jobs j ON j.id = a.job_id AND j.deleted_at = 0 AND j.version = a.version;

-- alerts/questions.py ACTED
SELECT e.subject AS rule, count(*) AS acts FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (rule LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN events e ON e.subject = d.rule WHERE true AND e.kind = 'alert.acted' AND e.at > TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - %(hour)s GROUP BY e.subject;

-- alerts/record.py TAKE_SIGNS
DELETE failure_signs FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (run_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN failure_signs ON failure_signs.run_id = d.run_id WHERE true;

-- alerts/record.py OPEN
INSERT INTO alerts (open_key, namespace, rule, kind, level, state, job_id, cause, channels, runbook, began_at, fired_at, last_at, resolved_at, silence_id, step, escalates_from, told_at, acted, seen, ver)
SELECT d.open_key, d.namespace, d.rule, d.kind, d.level, d.state, d.job_id, d.cause, d.channels, d.runbook, d.began_at, d.fired_at, d.last_at, d.resolved_at, d.silence_id, d.step, d.escalates_from, d.told_at, d.acted, d.seen, 1 FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (open_key LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, namespace LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, rule LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, kind LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, level LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, state LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[5]' NULL ON EMPTY ERROR ON ERROR, job_id BIGINT PATH '$[6]' NULL ON EMPTY ERROR ON ERROR, cause LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[7]' NULL ON EMPTY ERROR ON ERROR, channels LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[8]' NULL ON EMPTY ERROR ON ERROR, runbook LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[9]' NULL ON EMPTY ERROR ON ERROR, began_at BIGINT PATH '$[10]' NULL ON EMPTY ERROR ON ERROR, fired_at BIGINT PATH '$[11]' NULL ON EMPTY ERROR ON ERROR, last_at BIGINT PATH '$[12]' NULL ON EMPTY ERROR ON ERROR, resolved_at BIGINT PATH '$[13]' NULL ON EMPTY ERROR ON ERROR, silence_id BIGINT PATH '$[14]' NULL ON EMPTY ERROR ON ERROR, step BIGINT PATH '$[15]' NULL ON EMPTY ERROR ON ERROR, escalates_from BIGINT PATH '$[16]' NULL ON EMPTY ERROR ON ERROR, told_at BIGINT PATH '$[17]' NULL ON EMPTY ERROR ON ERROR, acted BIGINT PATH '$[18]' NULL ON EMPTY ERROR ON ERROR, seen BIGINT PATH '$[19]' NULL ON EMPTY ERROR ON ERROR)) AS d WHERE true ON DUPLICATE KEY UPDATE alerts.open_key = alerts.open_key;

-- alerts/record.py IDS
SELECT a.open_key, a.id FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (open_key LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN alerts a ON a.open_key = d.open_key WHERE true;

-- alerts/record.py CHANGE
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, ver BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, open_key LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, level LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, state LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, channels LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[5]' NULL ON EMPTY ERROR ON ERROR, fired_at BIGINT PATH '$[6]' NULL ON EMPTY ERROR ON ERROR, last_at BIGINT PATH '$[7]' NULL ON EMPTY ERROR ON ERROR, resolved_at BIGINT PATH '$[8]' NULL ON EMPTY ERROR ON ERROR, silence_id BIGINT PATH '$[9]' NULL ON EMPTY ERROR ON ERROR, step BIGINT PATH '$[10]' NULL ON EMPTY ERROR ON ERROR, escalates_from BIGINT PATH '$[11]' NULL ON EMPTY ERROR ON ERROR, told_at BIGINT PATH '$[12]' NULL ON EMPTY ERROR ON ERROR, acted BIGINT PATH '$[13]' NULL ON EMPTY ERROR ON ERROR, seen BIGINT PATH '$[14]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN alerts SET alerts.ver = alerts.ver + 1, alerts.open_key = d.open_key, alerts.level = d.level, alerts.state = d.state, alerts.channels = d.channels, alerts.fired_at = d.fired_at, alerts.last_at = d.last_at, alerts.resolved_at = d.resolved_at, alerts.silence_id = d.silence_id, alerts.step = d.step, alerts.escalates_from = d.escalates_from, alerts.told_at = d.told_at, alerts.acted = d.acted, alerts.seen = d.seen WHERE alerts.id = d.id AND alerts.ver = d.ver AND alerts.resolved_at IS NULL;

-- alerts/record.py SEE_AGAIN
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (alert_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, subject_key LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, subject LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, namespace LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, job_id BIGINT PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, run_id BIGINT PATH '$[5]' NULL ON EMPTY ERROR ON ERROR, times BIGINT PATH '$[6]' NULL ON EMPTY ERROR ON ERROR, first_at BIGINT PATH '$[7]' NULL ON EMPTY ERROR ON ERROR, last_at BIGINT PATH '$[8]' NULL ON EMPTY ERROR ON ERROR, ended_at BIGINT PATH '$[9]' NULL ON EMPTY ERROR ON ERROR, recent LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[10]' NULL ON EMPTY ERROR ON ERROR, data LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[11]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN alert_subjects SET alert_subjects.run_id = d.run_id, alert_subjects.count = d.times, alert_subjects.last_at = d.last_at, alert_subjects.ended_at = d.ended_at, alert_subjects.recent = d.recent, alert_subjects.data = d.data WHERE alert_subjects.alert_id = d.alert_id AND alert_subjects.subject_key = d.subject_key;

-- alerts/record.py SEE
INSERT INTO alert_subjects (alert_id, subject_key, subject, namespace, job_id, run_id, count, first_at, last_at,
                                ended_at, recent, data)
SELECT d.alert_id, d.subject_key, d.subject, d.namespace, d.job_id, d.run_id, d.times, d.first_at, d.last_at,
       d.ended_at, d.recent, d.data
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (alert_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, subject_key LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, subject LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, namespace LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, job_id BIGINT PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, run_id BIGINT PATH '$[5]' NULL ON EMPTY ERROR ON ERROR, times BIGINT PATH '$[6]' NULL ON EMPTY ERROR ON ERROR, first_at BIGINT PATH '$[7]' NULL ON EMPTY ERROR ON ERROR, last_at BIGINT PATH '$[8]' NULL ON EMPTY ERROR ON ERROR, ended_at BIGINT PATH '$[9]' NULL ON EMPTY ERROR ON ERROR, recent LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[10]' NULL ON EMPTY ERROR ON ERROR, data LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[11]' NULL ON EMPTY ERROR ON ERROR)) AS d WHERE true ON DUPLICATE KEY UPDATE alert_subjects.alert_id = alert_subjects.alert_id;

-- alerts/resolution.py CLOSE
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, ver BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, open_key LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN alerts SET alerts.ver = alerts.ver + 1, alerts.state = 'resolved', alerts.resolved_at = %(now)s, alerts.open_key = d.open_key WHERE alerts.id = d.id AND alerts.ver = d.ver AND alerts.resolved_at IS NULL;

-- alerts/resolution.py END_SUBJECTS
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN alert_subjects SET alert_subjects.ended_at = %(now)s WHERE alert_subjects.alert_id = d.id AND alert_subjects.ended_at IS NULL;

-- alerts/rounds.py OLD
SELECT a.id, 1 AS is_alert FROM (
  SELECT id FROM alerts WHERE resolved_at < %(before)s ORDER BY resolved_at, id LIMIT %(rows)s
) a
UNION ALL
SELECT s.id, 0 FROM (SELECT id FROM silences WHERE until < %(before)s ORDER BY until, id LIMIT %(rows)s) s;

-- alerts/rounds.py FORGET_SUBJECTS
DELETE alert_subjects FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN alert_subjects ON alert_subjects.alert_id = d.id WHERE true;

-- alerts/rounds.py FORGET
DELETE alerts FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN alerts ON alerts.id = d.id WHERE true;

-- alerts/rounds.py FORGET_SILENCES
DELETE silences FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN silences ON silences.id = d.id WHERE true;

-- alerts/rules.py ALL
SELECT namespace, name, version, document FROM alert_rules ORDER BY namespace, name LIMIT %(rows)s;

-- alerts/rules.py VISIBLE
SELECT namespace, name, version, document FROM alert_rules WHERE namespace IN ('', %(namespace)s) ORDER BY namespace, name LIMIT %(rows)s;

-- alerts/rules.py ONE
SELECT namespace, name, version, document FROM alert_rules WHERE namespace = %(namespace)s AND length(namespace) = length(%(namespace)s) AND name = %(name)s AND length(name) = length(%(name)s);

-- alerts/rules.py COUNT
SELECT count(*) FROM alert_rules;

-- alerts/rules.py FIRST
INSERT INTO alert_rules (namespace, name, version, document, updated_at, updated_by, reason)
SELECT d.namespace, d.name, 1, d.document, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), d.made_by, d.reason FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (namespace LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, document LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, made_by LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, reason LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4]' NULL ON EMPTY ERROR ON ERROR)) AS d WHERE true ON DUPLICATE KEY UPDATE alert_rules.namespace = alert_rules.namespace;

-- alerts/rules.py NEXT
UPDATE alert_rules SET version = version + 1, document = %(document)s, updated_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), updated_by = %(made_by)s,
                       reason = %(reason)s
WHERE namespace = %(namespace)s AND length(namespace) = length(%(namespace)s) AND name = %(name)s AND length(name) = length(%(name)s) AND version = %(version)s;

-- alerts/rules.py REMOVE
DELETE FROM alert_rules WHERE namespace = %(namespace)s AND length(namespace) = length(%(namespace)s) AND name = %(name)s AND length(name) = length(%(name)s);

-- alerts/silences.py IN_FORCE
SELECT id, namespace, document, from_at, until, reason, made_by, ended_by FROM silences WHERE until > TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AND ended_by IS NULL ORDER BY until, id LIMIT %(rows)s;

-- alerts/silences.py LATEST
SELECT id, namespace, document, from_at, until, reason, made_by, ended_by FROM silences ORDER BY id DESC LIMIT %(rows)s;

-- alerts/silences.py ONE
SELECT id, namespace, document, from_at, until, reason, made_by, ended_by FROM silences WHERE id = %(id)s;

-- alerts/silences.py INSERT
INSERT INTO silences (namespace, document, from_at, until, reason, made_by)
VALUES (%(namespace)s, %(document)s, %(from_at)s, %(until)s, %(reason)s, %(made_by)s);

-- alerts/silences.py NEWEST
SELECT id, namespace, document, from_at, until, reason, made_by, ended_by FROM silences WHERE made_by = %(made_by)s AND from_at = %(from_at)s ORDER BY id DESC LIMIT 1;

-- alerts/silences.py END
UPDATE silences SET ended_by = %(by)s WHERE id = %(id)s AND ended_by IS NULL AND until > TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6));

-- alerts/silences.py HUSH
UPDATE alerts SET silence_id = %(silence)s, ver = ver + 1
WHERE id = %(alert)s AND resolved_at IS NULL AND %(from_at)s <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6));

-- alerts/silences.py UNHUSH
UPDATE alerts SET silence_id = NULL, ver = ver + 1 WHERE silence_id = %(silence)s AND resolved_at IS NULL;

-- alerts/store.py BEFORE
   SELECT a.id, a.open_key, a.namespace, a.rule, a.kind, a.level, a.state, a.job_id, a.cause, a.channels, a.runbook, a.began_at, a.fired_at, a.last_at, a.resolved_at, a.acked_at, a.acked_by, a.ack_note, a.silence_id, a.step, a.escalates_from, a.told_at, a.acted, a.seen, a.ver, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id) AS subject_count, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id AND s.ended_at IS NULL) AS open_count FROM alerts a WHERE a.id < %(before)s AND
   (%(subject)s = '' OR EXISTS (SELECT 1 FROM alert_subjects s WHERE s.alert_id = a.id AND s.subject = %(subject)s))
ORDER BY a.id DESC LIMIT %(rows)s;

-- alerts/store.py OPEN_BEFORE
SELECT a.id, a.open_key, a.namespace, a.rule, a.kind, a.level, a.state, a.job_id, a.cause, a.channels, a.runbook, a.began_at, a.fired_at, a.last_at, a.resolved_at, a.acked_at, a.acked_by, a.ack_note, a.silence_id, a.step, a.escalates_from, a.told_at, a.acted, a.seen, a.ver, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id) AS subject_count, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id AND s.ended_at IS NULL) AS open_count FROM alerts a WHERE a.resolved_at IS NULL AND a.id < %(before)s AND
(%(subject)s = '' OR EXISTS (SELECT 1 FROM alert_subjects s WHERE s.alert_id = a.id AND s.subject = %(subject)s))
ORDER BY a.id DESC LIMIT %(rows)s;

-- alerts/store.py FIRING
SELECT a.level, a.namespace, count(*) AS n FROM alerts a WHERE a.state = 'firing' AND a.silence_id IS NULL GROUP BY a.level, a.namespace;

-- alerts/store.py ACKNOWLEDGE
UPDATE alerts SET state = 'acknowledged', acked_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), acked_by = %(by)s, ack_note = %(note)s, ver = ver + 1
WHERE id = %(id)s AND state = 'firing';

-- alerts/store.py OPEN_OF_RULE
SELECT a.id, a.open_key, a.namespace, a.rule, a.kind, a.level, a.state, a.job_id, a.cause, a.channels, a.runbook, a.began_at, a.fired_at, a.last_at, a.resolved_at, a.acked_at, a.acked_by, a.ack_note, a.silence_id, a.step, a.escalates_from, a.told_at, a.acted, a.seen, a.ver, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id) AS subject_count, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id AND s.ended_at IS NULL) AS open_count FROM alerts a WHERE a.resolved_at IS NULL AND a.rule = %(rule)s ORDER BY a.id LIMIT %(rows)s;

-- checkup/gauges.py JOBS_BY_STATE
SELECT c.state, count(*) FROM cursors c JOIN jobs j ON j.id = c.job_id WHERE j.deleted_at = 0 GROUP BY c.state;

-- checkup/gauges.py ASSIGNED_BY_LANE
SELECT q.lane, count(*), min(q.not_before) FROM (
  SELECT r.lane, r.not_before FROM runs r FORCE INDEX (runs_assigned)
  WHERE r.assigned_to > '' AND r.state = 'PENDING' AND r.parked = 2 LIMIT %(rows)s
) q WHERE q.not_before <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) GROUP BY q.lane;

-- checkup/gauges.py SUMMARY
SELECT TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AS now, coalesce((SELECT max(e.id) FROM events e), 0) AS newest_event,
       (SELECT count(*) FROM alerts a WHERE a.state = 'firing' AND a.silence_id IS NULL AND a.level = 'critical')
         AS critical,
       (SELECT count(*) FROM alerts a WHERE a.state = 'firing' AND a.silence_id IS NULL AND a.level = 'warning')
         AS warning,
       (SELECT count(*) FROM alerts a WHERE a.state = 'firing' AND a.silence_id IS NULL AND a.level = 'info')
         AS info,
       (SELECT count(*) FROM (SELECT o.id FROM outbox o WHERE o.next_at > 0 LIMIT %(rows)s) w) AS notices,
       (SELECT min(w.created_at) FROM (SELECT o.created_at FROM outbox o WHERE o.next_at > 0 LIMIT %(rows)s) w)
         AS oldest_notice_at,
       (SELECT count(*) FROM heartbeats) AS checks,
       (SELECT count(*) FROM heartbeats h WHERE h.alarm_at <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6))) AS checks_down,
       count(q.token) AS held, count(*) - count(q.token) AS waiting
FROM (SELECT c.token FROM lock_claims c LIMIT %(rows)s) q;

-- checkup/gauges.py NAMES
SELECT j.id, j.namespace, j.name FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN jobs j FORCE INDEX (PRIMARY) ON j.id = d.id WHERE true;

-- checkup/grades.py KEEP
UPDATE checkups SET at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), grades = %(grades)s WHERE id = 1 AND EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = %(term)s);

-- checkup/grades.py KEEP_FIRST
INSERT INTO checkups (id, at, grades)
SELECT d.id, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), d.grades FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, grades LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d WHERE EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = %(term)s) ON DUPLICATE KEY UPDATE checkups.id = checkups.id;

-- checkup/grades.py KEPT
SELECT at, grades FROM checkups WHERE id = 1;

-- checkup/lane_waits.py OVERDUE
SELECT count(*) FROM (SELECT 1 AS one FROM cursors WHERE next_at <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) LIMIT %(rows)s) late;

-- checkup/lane_waits.py FIRST_OF_KIND
SELECT r.ready_lane AS lane, r.class, r.priority, r.not_before, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AS now FROM runs r FORCE INDEX (runs_ready)
WHERE r.ready_lane > %(lane)s OR (r.ready_lane = %(lane)s AND r.class > %(class)s)
      OR (r.ready_lane = %(lane)s AND r.class = %(class)s AND r.priority > %(priority)s)
ORDER BY r.ready_lane, r.class, r.priority, r.not_before LIMIT 1;

-- checkup/lane_waits.py FIRST_OF_QUEUE
SELECT r.assigned_to, r.lane, r.not_before, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AS now FROM runs r FORCE INDEX (runs_assigned)
WHERE r.state = 'PENDING' AND r.parked = 2 AND (r.assigned_to > %(session)s OR (r.assigned_to = %(session)s AND r.lane > %(lane)s))
ORDER BY r.assigned_to, r.lane, r.assigned_rank LIMIT 1;

-- checkup/lane_waits.py NEEDED_SOON
SELECT DISTINCT v.lane_id FROM (
  SELECT job_id, version FROM cursors WHERE next_at >= 0 ORDER BY next_at LIMIT 100
) c JOIN job_versions v ON v.job_id = c.job_id AND v.version = c.version;

-- checkup/outcomes.py FAILING
SELECT n.job_id, j.namespace, j.name, count(*) AS failed FROM (
  SELECT job_id, state, ended_at FROM runs ORDER BY id DESC LIMIT 2000
) n JOIN jobs j ON j.id = n.job_id
WHERE n.state = 'FAILED' AND n.ended_at >= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - 3600000000 AND j.deleted_at = 0
GROUP BY n.job_id, j.namespace, j.name ORDER BY failed DESC, n.job_id LIMIT %(rows)s;

-- checkup/outcomes.py ENDED
SELECT n.state, n.recent, count(*) AS runs FROM (
  SELECT state, CASE WHEN ended_at >= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - 3600000000 THEN 1 ELSE 0 END AS recent
  FROM runs WHERE job_id = %(job)s ORDER BY id DESC LIMIT 500
) n WHERE n.state IN ('SUCCEEDED', 'FAILED')
GROUP BY n.state, n.recent;

-- checkup/outcomes.py USUAL
SELECT s.job_id, sum(s.succeeded) AS succeeded, sum(s.failed) AS failed FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (start_at BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, job_id BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN stats s
ON s.resolution = 2 AND s.start_at = d.start_at AND s.job_id = d.job_id AND s.is_part = 0
GROUP BY s.job_id;

-- checkup/readings.py TRANSACTIONS
SELECT greatest(0, TIMESTAMPDIFF(SECOND, t.trx_started, CONVERT_TZ(UTC_TIMESTAMP(), '+00:00', 'SYSTEM'))) AS age_s,
       t.trx_mysql_thread_id AS session, NULL AS name, concat('KILL ', t.trx_mysql_thread_id) AS stop, 0 AS hidden
FROM (SELECT 1 AS one) o
LEFT JOIN (SELECT trx_started, trx_mysql_thread_id FROM information_schema.innodb_trx
           WHERE trx_mysql_thread_id NOT IN (0, CONNECTION_ID()) ORDER BY trx_started LIMIT 1) t ON true;

-- checkup/readings.py REPLICATION
SELECT left(host, char_length(host) - char_length(substring_index(host, ':', -1)) - 1) AS name,
       'follows' AS state, NULL AS lag_s, 0 AS kept_bytes
FROM information_schema.processlist WHERE command IN ('Binlog Dump', 'Binlog Dump GTID');

-- checkup/readings.py SCHEMA
SELECT v.version_num AS revision, m.readable_from FROM foliot_version v JOIN store_meta m ON m.id = 1;

-- checkup/readings.py STATUS
SHOW GLOBAL STATUS WHERE Variable_name IN ('Threads_connected',
  'wsrep_cluster_size', 'wsrep_cluster_status', 'wsrep_ready', 'wsrep_flow_control_paused');

-- checkup/readings.py DEAD_ROWS
SELECT id FROM store_meta WHERE id < 0;

-- checkup/readings.py HISTORY
SELECT `count` AS length FROM information_schema.innodb_metrics WHERE name = 'trx_rseg_history_len';

-- checkup/readings.py CONNECTIONS
SELECT id FROM store_meta WHERE id < 0;

-- checkup/readings.py SETTINGS
SELECT 'innodb_doublewrite' AS name,
       CASE @@global.innodb_doublewrite WHEN 0 THEN 'off' WHEN 1 THEN 'on'
            ELSE lower(@@global.innodb_doublewrite) END AS value
UNION ALL
SELECT 'sync_binlog', CASE WHEN @@global.log_bin = 1 THEN @@global.sync_binlog ELSE 1 END
UNION ALL
SELECT 'max_connections', @@global.max_connections;

-- checkup/readings.py SIZE
SELECT sum(data_length + index_length) AS bytes FROM information_schema.tables WHERE table_schema = DATABASE();

-- checkup/readings.py FILE
SELECT id FROM store_meta WHERE id < 0;

-- checkup/readings.py TOGETHER
SELECT id FROM store_meta WHERE id < 0;

-- cluster/beats.py HELD
    SELECT n.state, n.beat_no, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), c.whole, n.slots, n.until, n.band, n.band_turn_at, n.band_cause, n.drill,
           n.role, m.reap_after, m.last_tick_at,
           r.id, r.lease_id, r.request_no, r.job_id, r.version, r.started_at, r.leased_at,
           CASE WHEN r.cancel_at IS NOT NULL AND r.deadline_at <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) THEN 2
                WHEN r.cancel_at IS NOT NULL OR (
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.line_job = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
) THEN 1 ELSE 0 END
    FROM nodes n JOIN store_meta m ON m.id = 1 LEFT JOIN codes c ON c.hash = n.code
    LEFT JOIN runs r ON r.held_by = n.id AND r.state = 'RUNNING'
    WHERE n.id = %(session)s;

-- cluster/beats.py FREE
SELECT r.id FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs r FORCE INDEX (PRIMARY) ON r.id = d.id WHERE true
  AND EXISTS (SELECT 1 FROM nodes n WHERE n.id = %(session)s AND n.beat_no = %(beat_no)s)
ORDER BY r.id FOR UPDATE SKIP LOCKED;

-- cluster/beats.py STARTED
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, lease_id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, started_at BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, deadline_at BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, checkpoint LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs FORCE INDEX (PRIMARY) SET runs.ver = runs.ver + 1, runs.checkpoint = coalesce(d.checkpoint, runs.checkpoint), runs.deadline_at = CASE WHEN runs.started_at IS NULL AND d.started_at IS NOT NULL
                               AND NOT (runs.cancel_at IS NOT NULL AND runs.deadline_at <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)))
                          THEN d.deadline_at ELSE runs.deadline_at END, runs.started_at = coalesce(runs.started_at, d.started_at) WHERE runs.id = d.id AND runs.lease_id = d.lease_id
  AND (runs.started_at IS NULL AND d.started_at IS NOT NULL
       OR d.checkpoint IS NOT NULL AND (runs.checkpoint IS NULL OR runs.checkpoint <> d.checkpoint));

-- cluster/beats.py BEAT
UPDATE nodes SET until = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) + %(ttl)s, last_beat_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), beat_no = %(beat_no)s, settled = %(settled)s, `load` = %(load)s,
       progress = %(progress)s, wall_offset_us = coalesce(%(wall_offset)s, wall_offset_us),
       band_at = CASE WHEN coalesce(band, 'ONLINE') = %(band)s THEN band_at ELSE TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) END,
       band = %(band)s, band_turn_at = %(band_turn_at)s, band_cause = %(band_cause)s,
       ready_at = CASE WHEN ready_at IS NULL AND %(syncing)s = 0 THEN TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) ELSE ready_at END,
       draining_at = CASE WHEN state = 'live' AND %(draining)s = 1 THEN TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) ELSE draining_at END,
       state = CASE WHEN state = 'live' AND %(draining)s = 1 THEN 'draining' ELSE state END
WHERE id = %(session)s AND state <> 'dead' AND beat_no < %(beat_no)s;

-- cluster/clock.py REPORT
UPDATE nodes SET clock_offset_us = %(ahead)s, wall_offset_us = coalesce(%(offset)s, wall_offset_us)
WHERE id = %(session)s AND state <> 'dead';

-- cluster/clock.py OVERTAKEN
UPDATE nodes SET clock_offset_us = 0
WHERE id = %(session)s AND (SELECT m.clock_suspect FROM store_meta m WHERE m.id = 1) = 0;

-- cluster/clock.py LEADS
SELECT n.clock_offset_us FROM nodes n
WHERE n.kind = 'server' AND n.state = 'live' AND n.clock_offset_us IS NOT NULL;

-- cluster/clock.py OFFSETS
SELECT n.wall_offset_us FROM nodes n WHERE n.state = 'live' AND n.wall_offset_us IS NOT NULL
ORDER BY n.id LIMIT %(limit)s;

-- cluster/clock.py KNOWN
SELECT clock_suspect, clock_ahead_us, clock_trusted_us FROM store_meta WHERE id = 1;

-- cluster/clock.py SUSPECT
UPDATE store_meta SET clock_suspect = 1, last_good_time = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - %(ahead)s, clock_ahead_us = %(ahead)s
WHERE id = 1 AND clock_suspect = 0;

-- cluster/clock.py AHEAD
UPDATE store_meta SET clock_ahead_us = %(ahead)s WHERE id = 1 AND clock_suspect = 1;

-- cluster/clock.py AGREED
UPDATE store_meta SET clock_suspect = 0, clock_ahead_us = NULL WHERE id = 1 AND clock_suspect = 1;

-- cluster/clock.py TRUST
UPDATE store_meta SET clock_trusted_us = %(offset)s WHERE id = 1;

-- cluster/clock.py NO_LEADS
UPDATE nodes SET clock_offset_us = 0 WHERE kind = 'server' AND state <> 'dead';

-- cluster/codes.py LIVE
SELECT DISTINCT n.code, n.namespace, (SELECT max(c.used_at) FROM codes c) AS newest_at
FROM nodes n WHERE n.state IN ('live', 'draining') AND n.kind = 'worker';

-- cluster/codes.py MODULES
SELECT c.hash, c.namespace, c.group_name, m.module FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (hash LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN codes c ON c.hash = d.hash JOIN code_modules m ON m.code = c.hash;

-- cluster/codes.py IS_KEPT
SELECT 1 FROM codes WHERE hash = %(code)s AND whole >= 1;

-- cluster/codes.py USE
UPDATE codes SET ver = ver + 1, used_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), whole = 1 WHERE hash = %(code)s AND whole >= 1;

-- cluster/codes.py TOUCH
UPDATE codes SET ver = ver + 1, used_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) WHERE hash = %(code)s;

-- cluster/codes.py INSERT
INSERT INTO codes (hash, namespace, group_name, whole, ver, used_at)
SELECT d.hash, d.namespace, d.group_name, 0, 1, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (hash LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, namespace LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, group_name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR)) AS d WHERE true ON DUPLICATE KEY UPDATE codes.hash = codes.hash;

-- cluster/codes.py INSERT_MODULES
INSERT INTO code_modules (code, module) SELECT %(code)s, d.module FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (module LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d WHERE true ON DUPLICATE KEY UPDATE code_modules.code = code_modules.code;

-- cluster/codes.py INSERT_JOBS
INSERT INTO code_jobs (namespace, name, code, module)
SELECT d.namespace, d.name, %(code)s, d.module FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (namespace LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, module LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR)) AS d WHERE true ON DUPLICATE KEY UPDATE code_jobs.namespace = code_jobs.namespace;

-- cluster/codes.py WHOLE
UPDATE codes SET ver = ver + 1, whole = 1 WHERE hash = %(code)s;

-- cluster/codes.py UNUSED
SELECT c.hash, c.ver FROM codes c
WHERE c.used_at < TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - %(unused)s
  AND NOT EXISTS (SELECT 1 FROM nodes n WHERE n.code = c.hash AND n.state IN ('live', 'draining'))
ORDER BY c.used_at LIMIT 1;

-- cluster/codes.py OPEN
UPDATE codes SET ver = ver + 1, whole = 0 WHERE hash = %(code)s AND ver = %(seen)s;

-- cluster/codes.py ITS_JOBS
SELECT namespace, name FROM code_jobs WHERE code = %(code)s ORDER BY namespace, name LIMIT %(rows)s;

-- cluster/codes.py FORGET_JOBS
DELETE FROM code_jobs WHERE code = %(code)s AND (namespace < %(namespace)s OR (namespace = %(namespace)s AND name <= %(name)s));

-- cluster/codes.py FORGET_MODULES
DELETE FROM code_modules WHERE code = %(code)s;

-- cluster/codes.py FORGET
DELETE FROM codes WHERE hash = %(code)s;

-- cluster/drills.py ASK
INSERT INTO drills (slot, type, node, session_id, for_us, made_by, reason, size_us, state, asked_at)
SELECT d.slot, d.type, d.node, d.session, d.for_us, d.made_by, d.reason, d.size_us, 'asked', TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6))
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (slot LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, type LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, node LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, session LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, for_us BIGINT PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, made_by LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[5]' NULL ON EMPTY ERROR ON ERROR, reason LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[6]' NULL ON EMPTY ERROR ON ERROR, size_us BIGINT PATH '$[7]' NULL ON EMPTY ERROR ON ERROR)) AS d WHERE true
ON DUPLICATE KEY UPDATE drills.slot = drills.slot;

-- cluster/drills.py IN_SLOT
SELECT id, type, node, session_id, for_us, made_by, reason, state, asked_at, began_at, over_at, noticed_us, ended_at, report, size_us FROM drills WHERE slot = %(slot)s;

-- cluster/drills.py ONE
SELECT id, type, node, session_id, for_us, made_by, reason, state, asked_at, began_at, over_at, noticed_us, ended_at, report, size_us FROM drills WHERE id = %(id)s;

-- cluster/drills.py BEFORE
SELECT id, type, node, session_id, for_us, made_by, reason, state, asked_at, began_at, over_at, noticed_us, ended_at, report, size_us FROM drills WHERE id < %(before)s ORDER BY id DESC LIMIT %(rows)s;

-- cluster/drills.py ORDER
UPDATE nodes SET drill = %(written)s WHERE id = %(session)s AND state <> 'dead';

-- cluster/drills.py TAKE_BACK
UPDATE nodes SET drill = NULL WHERE id = %(session)s AND drill = %(written)s;

-- cluster/drills.py FORGET
DELETE FROM drills WHERE id <= %(before)s AND ended_at IS NOT NULL;

-- cluster/drills.py BEGIN
UPDATE drills SET state = 'running', began_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) WHERE id = %(id)s AND session_id = %(session)s AND state = 'asked';

-- cluster/drills.py IS_RUNNING
SELECT id FROM drills WHERE id = %(id)s AND session_id = %(session)s AND state = 'running' AND over_at IS NULL;

-- cluster/drills.py OVER
UPDATE drills SET over_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), noticed_us = %(noticed)s
WHERE id = %(id)s AND session_id = %(session)s AND state = 'running' AND over_at IS NULL;

-- cluster/drills.py SETTLE
UPDATE drills SET state = %(state)s, report = %(report)s, ended_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), slot = %(slot)s
WHERE id = %(id)s AND state = %(before)s;

-- cluster/drills.py STOP_ASKED
UPDATE drills SET state = 'stopped', ended_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), slot = %(slot)s
WHERE id = %(id)s AND state = 'asked';

-- cluster/drills.py FIRED
SELECT r.job_id, r.due_at, r.created_at FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN runs r
ON r.job_id = d.id AND r.fire_key >= %(low)s AND r.fire_key < %(high)s AND r.shard = -1 LIMIT %(rows)s;

-- cluster/drills.py SKIPPED
SELECT s.job_id, s.from_at, s.to_at FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN skips s
ON s.job_id = d.id AND s.to_at >= %(from_at)s AND s.from_at < %(to_at)s LIMIT %(rows)s;

-- cluster/failover_rows.py OPEN
INSERT INTO failovers (occurrence, type, subject, namespace, began_at, detected_at, last_at, evidence,
                             affected, action, attempts, session_id, term, ver)
SELECT d.occurrence, d.type, d.subject, d.namespace, d.began_at, d.detected_at, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), d.evidence,
       d.affected, d.action, d.attempts, d.session, d.under, 0
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (occurrence LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, type LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, subject LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, namespace LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, began_at BIGINT PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, detected_at BIGINT PATH '$[5]' NULL ON EMPTY ERROR ON ERROR, evidence LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[6]' NULL ON EMPTY ERROR ON ERROR, affected LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[7]' NULL ON EMPTY ERROR ON ERROR, action LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[8]' NULL ON EMPTY ERROR ON ERROR, attempts BIGINT PATH '$[9]' NULL ON EMPTY ERROR ON ERROR, session LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[10]' NULL ON EMPTY ERROR ON ERROR, under BIGINT PATH '$[11]' NULL ON EMPTY ERROR ON ERROR)) AS d WHERE (EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = %(term)s) OR %(term)s IS NULL)
ON DUPLICATE KEY UPDATE failovers.occurrence = failovers.occurrence;

-- cluster/failover_rows.py OF_KEYS
SELECT f.id, f.occurrence, f.type, f.subject, f.namespace, f.began_at, f.detected_at, f.last_at, f.evidence, f.affected, f.action, f.attempts, f.session_id, f.term, f.ver, f.outcome, f.done, f.ended_at, f.escalated_at, f.level, f.channel FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (occurrence LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN failovers f ON f.occurrence = d.occurrence WHERE true;

-- cluster/failover_rows.py OF_IDS
SELECT f.id, f.occurrence, f.type, f.subject, f.namespace, f.began_at, f.detected_at, f.last_at, f.evidence, f.affected, f.action, f.attempts, f.session_id, f.term, f.ver, f.outcome, f.done, f.ended_at, f.escalated_at, f.level, f.channel FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN failovers f FORCE INDEX (PRIMARY) ON f.id = d.id WHERE true;

-- cluster/failover_rows.py ADD
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, ver BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, began_at BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, evidence LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, affected LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, attempts BIGINT PATH '$[5]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN failovers FORCE INDEX (PRIMARY) SET failovers.ver = failovers.ver + 1, failovers.last_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), failovers.began_at = d.began_at, failovers.evidence = d.evidence, failovers.affected = d.affected, failovers.attempts = d.attempts WHERE failovers.id = d.id AND failovers.ver = d.ver AND failovers.ended_at IS NULL;

-- cluster/failover_rows.py CLOSE
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, ver BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, outcome LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, done LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, occurrence LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, ended_at BIGINT PATH '$[5]' NULL ON EMPTY ERROR ON ERROR, action LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[6]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN failovers FORCE INDEX (PRIMARY) SET failovers.ver = failovers.ver + 1, failovers.outcome = d.outcome, failovers.done = d.done, failovers.occurrence = d.occurrence, failovers.ended_at = coalesce(d.ended_at, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6))), failovers.action = coalesce(d.action, failovers.action) WHERE failovers.id = d.id AND failovers.ver = d.ver AND failovers.ended_at IS NULL;

-- cluster/failovers.py ESCALATE
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, level LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, channel LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN failovers FORCE INDEX (PRIMARY) SET failovers.ver = failovers.ver + 1, failovers.escalated_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), failovers.level = d.level, failovers.channel = d.channel WHERE failovers.id = d.id AND failovers.escalated_at IS NULL;

-- cluster/failovers.py STILL_OPEN
SELECT f.id, f.occurrence, f.type, f.subject, f.namespace, f.began_at, f.detected_at, f.last_at, f.evidence, f.affected, f.action, f.attempts, f.session_id, f.term, f.ver, f.outcome, f.done, f.ended_at, f.escalated_at, f.level, f.channel FROM failovers f WHERE f.ended_at IS NULL OR f.ended_at > TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - %(within)s
ORDER BY f.id LIMIT %(rows)s;

-- cluster/failovers.py BEFORE
SELECT f.id, f.occurrence, f.type, f.subject, f.namespace, f.began_at, f.detected_at, f.last_at, f.evidence, f.affected, f.action, f.attempts, f.session_id, f.term, f.ver, f.outcome, f.done, f.ended_at, f.escalated_at, f.level, f.channel FROM failovers f WHERE f.id < %(before)s ORDER BY f.id DESC LIMIT %(rows)s;

-- cluster/failovers.py OPEN_BEFORE
SELECT f.id, f.occurrence, f.type, f.subject, f.namespace, f.began_at, f.detected_at, f.last_at, f.evidence, f.affected, f.action, f.attempts, f.session_id, f.term, f.ver, f.outcome, f.done, f.ended_at, f.escalated_at, f.level, f.channel FROM failovers f WHERE f.ended_at IS NULL AND f.id < %(before)s ORDER BY f.id DESC LIMIT %(rows)s;

-- cluster/failovers.py OLD
SELECT id FROM failovers WHERE ended_at < %(before)s ORDER BY ended_at, id LIMIT %(rows)s;

-- cluster/failovers.py FORGET
DELETE failovers FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN failovers FORCE INDEX (PRIMARY) ON failovers.id = d.id WHERE true AND ended_at < %(before)s;

-- cluster/failovers.py POLICIES
SELECT type, version, document FROM failover_policies;

-- cluster/failovers.py FIRST_POLICY
INSERT INTO failover_policies (type, version, document, updated_at, updated_by, reason)
SELECT d.type, 1, d.document, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), d.made_by, d.reason FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (type LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, document LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, made_by LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, reason LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]' NULL ON EMPTY ERROR ON ERROR)) AS d WHERE true ON DUPLICATE KEY UPDATE failover_policies.type = failover_policies.type;

-- cluster/failovers.py NEXT_POLICY
UPDATE failover_policies SET version = version + 1, document = %(document)s, updated_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), updated_by = %(made_by)s,
                             reason = %(reason)s
WHERE type = %(type)s AND version = %(version)s;

-- cluster/failures.py NEWLY_DEAD
SELECT n.id, n.name, n.kind, n.last_beat_at, n.ended_at FROM nodes n
WHERE n.state = 'dead' AND n.ended_at >= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - %(look_back)s AND n.settled <> %(settled_all)s
ORDER BY n.id LIMIT %(rows)s;

-- cluster/failures.py HELD_COUNT
SELECT d.id, count(*) FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN runs r ON r.held_by = d.id AND r.state = 'RUNNING' GROUP BY d.id;

-- cluster/failures.py HELD_RUNS
SELECT d.id AS session, r.id, j.name FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN runs r ON r.held_by = d.id AND r.state = 'RUNNING'
JOIN jobs j ON j.id = r.job_id ORDER BY r.id LIMIT %(rows)s;

-- cluster/failures.py OPEN_DEATHS
SELECT f.id, f.occurrence, f.type, f.affected FROM failovers f
WHERE f.ended_at IS NULL AND f.type IN ('worker_crash', 'server_crash', 'network_partition')
ORDER BY f.id LIMIT %(rows)s;

-- cluster/failures.py PROMOTED
SELECT n.promoted_for, n.name, n.role_at FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN nodes n ON n.promoted_for = d.id WHERE true;

-- cluster/failures.py FATES
SELECT r.id, r.state, r.kind FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs r FORCE INDEX (PRIMARY) ON r.id = d.id WHERE true;

-- cluster/failures.py DEATH
SELECT f.id, f.ver, f.evidence FROM failovers f
WHERE f.occurrence = %(key)s AND f.type IN ('worker_crash', 'server_crash')
  AND (%(owner)s = '' OR EXISTS (SELECT 1 FROM nodes n WHERE n.id = %(session)s AND n.owner = %(owner)s));

-- cluster/failures.py CAME_BACK
UPDATE failovers SET ver = ver + 1, type = 'network_partition', evidence = %(evidence)s
WHERE id = %(id)s AND ver = %(ver)s;

-- cluster/failures.py JOBS_OF
SELECT r.id, r.job_id, j.namespace, j.name,
       (SELECT max(a.ended_at) FROM attempts a WHERE a.run_id = r.id) AS overran_at
FROM runs r JOIN jobs j ON j.id = r.job_id WHERE r.id IN (SELECT d.id FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d);

-- cluster/failures.py OPEN_CLOCK
SELECT f.id FROM failovers f WHERE f.occurrence = %(key)s AND f.ended_at IS NULL;

-- cluster/kinds.py IS_FRESH
SELECT 1 FROM worker_kinds WHERE hash = %(hash)s AND used_at >= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - %(fresh)s;

-- cluster/kinds.py USE
UPDATE worker_kinds SET used_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) WHERE hash = %(hash)s;

-- cluster/kinds.py KEEP
INSERT INTO worker_kinds (hash, stated, used_at)
SELECT d.hash, d.stated, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (hash LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, stated LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d WHERE true ON DUPLICATE KEY UPDATE worker_kinds.hash = worker_kinds.hash;

-- cluster/kinds.py UNUSED
SELECT w.hash FROM worker_kinds w
WHERE w.used_at < TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - %(unused)s
  AND NOT EXISTS (SELECT 1 FROM nodes n WHERE n.kinds = w.hash AND n.state IN ('live', 'draining'))
ORDER BY w.used_at LIMIT %(limit)s;

-- cluster/kinds.py FORGET
DELETE FROM worker_kinds WHERE used_at < TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - %(unused)s AND hash IN (SELECT d.hash FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (hash LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d);

-- cluster/leadership.py RENEW
UPDATE leases SET until = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) + %(ttl)s
WHERE name = 'leader' AND holder_session = %(session)s AND until >= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AND until <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) + %(ttl)s + %(ttl)s;

-- cluster/leadership.py RENEW_AND_SAY
UPDATE leases SET until = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) + %(ttl)s
WHERE name = 'leader' AND holder_session = %(session)s AND until >= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AND until <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) + %(ttl)s + %(ttl)s
 RETURNING term, until, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), (SELECT m.last_tick_at FROM store_meta m WHERE m.id = 1);

-- cluster/leadership.py WIN
UPDATE leases SET holder_session = %(session)s, term = term + 1, until = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) + %(ttl)s
WHERE name = 'leader' AND (until < TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) OR until > TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) + %(ttl)s + %(ttl)s);

-- cluster/leadership.py HELD
SELECT l.term, l.until, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), m.last_tick_at FROM leases l JOIN store_meta m ON m.id = 1
WHERE l.name = 'leader';

-- cluster/leadership.py TICK
UPDATE store_meta SET
  reap_after = CASE WHEN 2 * (TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - last_tick_at) > %(session_ttl)s OR last_tick_at > TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6))
                    THEN TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) + %(session_ttl)s ELSE reap_after END,
  last_tick_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6))
WHERE id = 1;

-- cluster/leadership.py CLAMP
UPDATE nodes SET until = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) + %(session_ttl)s WHERE state <> 'dead' AND until > TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) + %(session_ttl)s;

-- cluster/leadership.py RESIGN
UPDATE leases SET until = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - 1 WHERE name = 'leader' AND holder_session = %(session)s AND term = %(term)s;

-- cluster/leadership.py WISH
UPDATE leases SET holder_session = %(heir)s, term = term + 1, until = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) + %(ttl)s WHERE name = 'heir';

-- cluster/leadership.py FIRST_WISH
INSERT INTO leases (name, holder_session, term, until)
SELECT 'heir', d.heir, 0, 0 FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (heir LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d WHERE true ON DUPLICATE KEY UPDATE leases.name = leases.name;

-- cluster/leadership.py APPOINT
UPDATE leases SET holder_session = %(heir)s, term = term + 1, until = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) + %(ttl)s
WHERE name = 'leader' AND holder_session = %(session)s AND term = %(term)s AND EXISTS (
  SELECT 1 FROM nodes n WHERE n.id = %(heir)s AND n.kind = 'server' AND n.state = 'live' AND n.until > TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6))
    AND coalesce(n.role, 'active') = 'active'
);

-- cluster/leadership.py IS_TERM
SELECT l.term FROM leases l WHERE l.name = 'leader' AND l.term = %(term)s;

-- cluster/maintenance.py BEGIN
UPDATE store_meta SET
  maintenance_at = CASE WHEN maintenance_until > TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) THEN maintenance_at ELSE TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) END,
  maintenance_until = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) + %(lasts)s,
  maintenance_by = %(by)s, maintenance_reason = %(reason)s
WHERE id = 1;

-- cluster/maintenance.py END
UPDATE store_meta SET maintenance_until = 0 WHERE id = 1 AND maintenance_until > TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6));

-- cluster/maintenance.py CLOSE
UPDATE store_meta SET maintenance_until = 0 WHERE id = 1 AND maintenance_until BETWEEN 1 AND TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6));

-- cluster/maintenance.py FOUND
SELECT maintenance_until, maintenance_at, maintenance_by, maintenance_reason, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AS now FROM store_meta WHERE id = 1;

-- cluster/reaper.py DECLARE_DEAD
UPDATE nodes SET state = 'dead', ended_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6))
WHERE state <> 'dead' AND until < TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - %(grace)s
  AND
(SELECT CASE WHEN TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) >= m.reap_after AND 2 * (TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - m.last_tick_at) <= %(session_ttl)s
             THEN 1 ELSE 0 END FROM store_meta m WHERE m.id = 1) = 1
  AND EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = %(term)s);

-- cluster/reaper.py OF_THE_DEAD
SELECT r.id, r.lease_id, r.request_no, r.started_at, n.settled, n.progress
FROM nodes n JOIN runs r ON r.held_by = n.id AND r.state = 'RUNNING'
WHERE n.state = 'dead' AND EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = %(term)s)
ORDER BY r.id LIMIT %(limit)s;

-- cluster/reaper.py LATE
SELECT r.id, r.lease_id, r.started_at, r.deadline_at, r.job_id, r.version, r.cancel_at, r.session_id
FROM runs r
WHERE r.state = 'RUNNING' AND r.held_by > '' AND r.deadline_at < TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - %(grace)s AND EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = %(term)s)
      AND r.deadline_at < %(before)s
      AND (r.deadline_at, r.id) > (%(after_at)s, %(after_id)s)
ORDER BY r.deadline_at, r.id LIMIT %(limit)s;

-- cluster/reaper.py LAST_BEATS
SELECT n.id, n.last_beat_at, n.progress FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN nodes n FORCE INDEX (PRIMARY) ON n.id = d.id WHERE true;

-- cluster/restore.py LIVE_SERVERS
SELECT name FROM nodes WHERE kind = 'server' AND state <> 'dead' AND until > TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) ORDER BY name;

-- cluster/restore.py SESSIONS
SELECT count(*) FROM nodes WHERE state <> 'dead';

-- cluster/restore.py IN_HANDS
SELECT count(*) FROM runs WHERE state = 'RUNNING' AND held_by > '';

-- cluster/restore.py OVERDUE
SELECT count(*), min(o.next_due_at) FROM (
  SELECT c.next_due_at FROM cursors c WHERE c.next_at <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AND c.next_due_at IS NOT NULL
  ORDER BY c.next_at LIMIT %(limit)s
) o;

-- cluster/restore.py TERM
SELECT term FROM leases WHERE name = 'leader';

-- cluster/restore.py RAISE
UPDATE store_meta SET epoch = %(epoch)s, reap_after = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) + %(session_ttl)s, clock_suspect = 0, clock_ahead_us = NULL
WHERE id = 1 AND epoch = %(seen)s;

-- cluster/restore.py FENCE
UPDATE runs SET ver = ver + 1, lease_id = %(nobody)s WHERE state = 'RUNNING' AND held_by > '';

-- cluster/restore.py END_SESSIONS
UPDATE nodes SET state = 'dead', ended_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) WHERE state <> 'dead';

-- cluster/restore.py NO_LEADER
UPDATE leases SET holder_session = NULL, term = term + %(apart)s, until = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - 1 WHERE name = 'leader';

-- cluster/restore.py RUN_IDS.last
SELECT greatest((SELECT coalesce(max(id), 0) FROM runs),
                coalesce((SELECT max(t.auto_increment) FROM information_schema.tables t
                          WHERE t.table_schema = database() AND t.table_name = 'runs'), 0));

-- cluster/restore.py RUN_IDS.go_on
ALTER TABLE runs AUTO_INCREMENT = %(beyond)s;

-- cluster/restore.py EVENT_IDS.last
SELECT greatest((SELECT coalesce(max(id), 0) FROM events),
                coalesce((SELECT max(t.auto_increment) FROM information_schema.tables t
                          WHERE t.table_schema = database() AND t.table_name = 'events'), 0));

-- cluster/restore.py EVENT_IDS.go_on
ALTER TABLE events AUTO_INCREMENT = %(beyond)s;

-- cluster/restore.py JOB_IDS.last
SELECT greatest((SELECT coalesce(max(id), 0) FROM jobs),
                coalesce((SELECT max(t.auto_increment) FROM information_schema.tables t
                          WHERE t.table_schema = database() AND t.table_name = 'jobs'), 0));

-- cluster/restore.py JOB_IDS.go_on
ALTER TABLE jobs AUTO_INCREMENT = %(beyond)s;

-- cluster/roles.py SERVERS
SELECT n.id, n.name, n.role, n.started_at,
       CASE WHEN n.state = 'live' AND n.until >= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) THEN 1 ELSE 0 END AS is_live, p.document, p.version
FROM nodes n LEFT JOIN failover_policies p ON p.type = 'servers'
WHERE n.state IN ('live', 'draining') AND n.kind = 'server';

-- cluster/roles.py PROMOTE
UPDATE nodes SET role = 'active', role_at = %(at)s, promoted_for = %(gone)s
WHERE id = %(session)s AND role = 'standby' AND state = 'live' AND until >= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6));

-- cluster/roles.py SET_ROLE
UPDATE nodes SET role = %(role)s, role_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), promoted_for = NULL
WHERE id = %(session)s AND kind = 'server' AND state = 'live' AND coalesce(role, 'active') <> %(role)s;

-- cluster/roles.py IN_TURN
UPDATE leases SET term = term + 1 WHERE name = 'roles';

-- cluster/roles.py FIRST_TURN
INSERT INTO leases (name, holder_session, term, until) VALUES ('roles', NULL, 0, 0) ON DUPLICATE KEY UPDATE leases.name = leases.name;

-- cluster/roles.py DRAIN
UPDATE nodes SET state = 'draining', drained_by = %(by)s, draining_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) WHERE id = %(session)s AND state = 'live';

-- cluster/roles.py GONE
SELECT n.id, n.name FROM nodes n
WHERE n.kind = 'server' AND coalesce(n.role, 'active') = 'active' AND n.settled <> %(settled_all)s
  AND (n.state = 'dead' AND n.ended_at >= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - %(look_back)s OR n.state = 'live' AND n.until < TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)))
  AND NOT EXISTS (SELECT 1 FROM nodes p WHERE p.promoted_for = n.id)
ORDER BY n.until DESC, n.id LIMIT 1;

-- cluster/roles.py RULES
SELECT version, document FROM failover_policies WHERE type = 'servers';

-- ending/callbacks.py _LEAVE
DELETE FROM callbacks WHERE run_id = %(run_id)s AND lease_id = %(lease_id)s;

-- ending/callbacks.py _OPEN
INSERT INTO callbacks (id, run_id, lease_id, session_id, key_hash, made_at)
SELECT %(id)s, r.id, r.lease_id, r.session_id, %(key_hash)s, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) FROM runs r
WHERE r.id = %(run_id)s AND r.lease_id = %(lease_id)s AND r.session_id = %(session)s;

-- ending/callbacks.py _IS_OPEN
SELECT 1 FROM callbacks WHERE id = %(id)s;

-- ending/callbacks.py _FIND
SELECT c.id, c.key_hash, c.session_id, c.run_id, c.lease_id, c.made_at, r.cancel_at, j.namespace, j.name,
       TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AS now
FROM callbacks c JOIN runs r ON r.id = c.run_id JOIN jobs j ON j.id = r.job_id WHERE c.id = %(id)s;

-- ending/callbacks.py _PROGRESS
UPDATE callbacks SET progress = %(progress)s, told_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), said_at = coalesce(%(said_at)s, said_at)
WHERE id = %(id)s AND (said_at IS NULL OR %(signed)s = 0 OR said_at < %(said_at)s)
  AND EXISTS (SELECT 1 FROM runs r WHERE r.id = callbacks.run_id AND r.lease_id = callbacks.lease_id);

-- ending/callbacks.py _HOLDS
SELECT 1 FROM runs WHERE id = %(run_id)s AND lease_id = %(lease_id)s;

-- ending/callbacks.py _ENDED
UPDATE callbacks SET end_hash = %(end_hash)s, ended_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) WHERE id = %(id)s;

-- ending/callbacks.py _HOW
SELECT end_hash FROM callbacks WHERE id = %(id)s;

-- ending/cancellation.py OPEN_CHILDREN
SELECT r.id FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs r ON r.parent_id = d.id WHERE true AND r.state IN ('PENDING', 'RUNNING');

-- ending/cancellation.py ASK
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs FORCE INDEX (PRIMARY) SET runs.cancel_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), runs.error = %(error)s, runs.ver = runs.ver + 1 WHERE runs.id = d.id AND runs.state = 'RUNNING' AND runs.cancel_at IS NULL;

-- ending/cancellation.py FORCE
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs FORCE INDEX (PRIMARY) SET runs.cancel_at = coalesce(runs.cancel_at, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6))), runs.error = %(error)s, runs.ver = runs.ver + 1, runs.deadline_at = CASE WHEN runs.deadline_at < TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) THEN runs.deadline_at ELSE TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) END WHERE runs.id = d.id AND runs.state = 'RUNNING';

-- ending/cancellation.py NOTE
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs FORCE INDEX (PRIMARY) SET runs.cancelled_by = %(by)s, runs.cancel_reason = %(reason)s, runs.ver = runs.ver + 1 WHERE runs.id = d.id AND runs.state IN ('PENDING', 'RUNNING');

-- ending/ends.py END
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, lease_id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, reported BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, state LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, kind LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, started_at BIGINT PATH '$[5]' NULL ON EMPTY ERROR ON ERROR, result LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[6]' NULL ON EMPTY ERROR ON ERROR, error LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[7]' NULL ON EMPTY ERROR ON ERROR, error_type LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[8]' NULL ON EMPTY ERROR ON ERROR, checkpoint LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[9]' NULL ON EMPTY ERROR ON ERROR, deaths BIGINT PATH '$[10]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs FORCE INDEX (PRIMARY) SET runs.state = d.state, runs.kind = d.kind, runs.ver = runs.ver + 1, runs.last_lease_id = CASE WHEN d.reported = 1 THEN runs.lease_id ELSE runs.last_lease_id END, runs.lease_id = NULL, runs.ended_at = %(now)s, runs.started_at = coalesce(runs.started_at, d.started_at), runs.deadline_at = NULL, runs.result = d.result, runs.error_type = d.error_type, runs.checkpoint = coalesce(d.checkpoint, runs.checkpoint), runs.deaths = runs.deaths + d.deaths, runs.error = coalesce(d.error, CASE WHEN d.state = 'CANCELLED' THEN runs.error END) WHERE runs.id = d.id AND runs.lease_id = d.lease_id;

-- ending/ends.py END_WAITING
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, ver BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, state LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, kind LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, error LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs FORCE INDEX (PRIMARY) SET runs.state = d.state, runs.kind = d.kind, runs.ver = runs.ver + 1, runs.parked = 0, runs.assigned_to = NULL, runs.ended_at = %(now)s, runs.error = d.error WHERE runs.id = d.id AND runs.ver = d.ver;

-- ending/ends.py BACK
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, lease_id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, reported BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, not_before BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, failures BIGINT PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, deaths BIGINT PATH '$[5]' NULL ON EMPTY ERROR ON ERROR, checkpoint LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[6]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs FORCE INDEX (PRIMARY) SET runs.state = 'PENDING', runs.ver = runs.ver + 1, runs.last_lease_id = CASE WHEN d.reported = 1 THEN runs.lease_id ELSE runs.last_lease_id END, runs.lease_id = NULL, runs.assigned_to = CASE WHEN (runs.follow & 256) <> 0 THEN runs.session_id END, runs.session_id = CASE WHEN (runs.follow & 256) <> 0 THEN runs.session_id END, runs.parked = CASE WHEN (runs.follow & 256) <> 0 THEN 2 ELSE 0 END, runs.follow = runs.follow & 25087, runs.request_no = NULL, runs.leased_at = NULL, runs.started_at = NULL, runs.deadline_at = NULL, runs.assigned_until = NULL, runs.assigned_before = NULL, runs.not_before = d.not_before, runs.failures = runs.failures + d.failures, runs.deaths = runs.deaths + d.deaths, runs.checkpoint = coalesce(d.checkpoint, runs.checkpoint) WHERE runs.id = d.id AND runs.lease_id = d.lease_id AND runs.cancel_at IS NULL;

-- ending/ends.py INSERT_ATTEMPTS
INSERT INTO attempts (run_id, attempt, job_id, cause, lease_id, session_id, fence, leased_at, started_at,
                          ended_at, error, error_type, retried)
SELECT d.run_id, d.attempt, d.job_id, d.cause, d.lease_id, d.session_id, d.fence, d.leased_at, d.started_at,
       %(now)s, d.error, d.error_type, d.retried
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (run_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, attempt BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, job_id BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, cause LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, lease_id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, session_id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[5]' NULL ON EMPTY ERROR ON ERROR, fence BIGINT PATH '$[6]' NULL ON EMPTY ERROR ON ERROR, leased_at BIGINT PATH '$[7]' NULL ON EMPTY ERROR ON ERROR, started_at BIGINT PATH '$[8]' NULL ON EMPTY ERROR ON ERROR, error LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[9]' NULL ON EMPTY ERROR ON ERROR, error_type LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[10]' NULL ON EMPTY ERROR ON ERROR, retried BIGINT PATH '$[11]' NULL ON EMPTY ERROR ON ERROR)) AS d WHERE true
ON DUPLICATE KEY UPDATE attempts.run_id = attempts.run_id;

-- ending/ends.py RETRIES
SELECT d.job_id, (SELECT count(*) FROM attempts a WHERE a.job_id = d.job_id AND a.ended_at > %(since)s
                                                    AND a.retried = 1)
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d;

-- ending/failure_signs.py LEAVE
INSERT INTO failure_signs (run_id, job_id, at) SELECT d.run_id, d.job_id, %(now)s FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (run_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, job_id BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d WHERE true
ON DUPLICATE KEY UPDATE failure_signs.run_id = failure_signs.run_id;

-- ending/fixed_delay.py SET_NEXT
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, version BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, state LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, next_at BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, next_due_at BIGINT PATH '$[4]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN cursors FORCE INDEX (PRIMARY) SET cursors.state = d.state, cursors.next_at = d.next_at, cursors.next_due_at = d.next_due_at, cursors.cursor_ver = cursors.cursor_ver + 1 WHERE cursors.job_id = d.job_id AND coalesce(cursors.next_at, -1) = -1 AND cursors.version = d.version
      AND cursors.state = 'active';

-- ending/fixed_delay.py WAIT_FOR
UPDATE runs SET follow = follow | 1, ver = ver + 1
WHERE line_job = %(job_id)s AND state IN ('PENDING', 'RUNNING') AND shard = -1 AND place IS NOT NULL
      AND parent_id IS NULL AND fire_key >= 's:' AND fire_key < 's;' AND triggered_by IS NULL
      AND (follow & 1) = 0;

-- ending/lease_owner.py OWNERS
SELECT n.id, n.owner FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN nodes n ON n.id = d.id;

-- ending/lease_owner.py LEASES
SELECT r.lease_id, r.last_lease_id, r.session_id FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs r FORCE INDEX (PRIMARY) ON r.id = d.id WHERE true;

-- ending/locked_runs.py SEE
SELECT
    r.id, r.job_id, r.version, r.parent_id, r.lane, r.follow, r.state, r.ver, r.attempt, r.failures,
    r.deaths, r.open_children, r.cancel_at, r.lease_id, r.last_lease_id, r.session_id, r.fence, r.leased_at,
    r.started_at,
    CASE WHEN r.cancel_at IS NOT NULL OR (
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.line_job = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
) THEN 1 ELSE 0 END,
    CASE WHEN
    (r.follow & 8) > 0 AND (
      SELECT 1 FROM runs p
      WHERE p.parked_job = r.job_id AND p.state = 'PENDING' AND p.parked = 1 AND p.place IS NOT NULL
      LIMIT 1) = 1
 THEN 1 ELSE 0 END,
    TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6))
 FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs r FORCE INDEX (PRIMARY) ON r.id = d.id WHERE true;

-- ending/locked_runs.py LOCK
SELECT
    r.id, r.job_id, r.version, r.parent_id, r.lane, r.follow, r.state, r.ver, r.attempt, r.failures,
    r.deaths, r.open_children, r.cancel_at, r.lease_id, r.last_lease_id, r.session_id, r.fence, r.leased_at,
    r.started_at,
    CASE WHEN r.cancel_at IS NOT NULL OR (
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.line_job = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
) THEN 1 ELSE 0 END,
    CASE WHEN
    (r.follow & 8) > 0 AND (
      SELECT 1 FROM runs p
      WHERE p.parked_job = r.job_id AND p.state = 'PENDING' AND p.parked = 1 AND p.place IS NOT NULL
      LIMIT 1) = 1
 THEN 1 ELSE 0 END,
    TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6))
 FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs r FORCE INDEX (PRIMARY) ON r.id = d.id WHERE true ORDER BY r.id FOR UPDATE;

-- ending/locked_runs.py LOCK_CURSORS
SELECT c.job_id, c.version FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN cursors c FORCE INDEX (PRIMARY) ON c.job_id = d.job_id WHERE true
ORDER BY c.job_id FOR UPDATE;

-- ending/logs.py WRITTEN
SELECT d.run_id, r.lease_id, r.attempt, r.session_id,
       (SELECT coalesce(max(l.at_offset + l.size), 0) FROM run_logs l
        WHERE l.run_id = d.run_id AND l.attempt = r.attempt) AS log_end,
       (SELECT coalesce(sum(l.size), 0) FROM run_logs l WHERE l.run_id = d.run_id) AS log_size
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (run_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN runs r ON r.id = d.run_id
WHERE r.lease_id IS NOT NULL;

-- ending/logs.py WRITE
INSERT INTO run_logs (run_id, attempt, at_offset, size, written_at, body, parent_id)
SELECT r.id, r.attempt, d.at_offset, d.size, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), substr(CAST(%(bodies)s AS BINARY),
              CAST(d.body_at AS SIGNED), CAST(d.body_size AS SIGNED)), r.parent_id
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (run_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, lease_id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, at_offset BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, size BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, body_at BIGINT PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, body_size BIGINT PATH '$[5]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN runs r ON r.id = d.run_id AND r.lease_id = d.lease_id
WHERE true
ON DUPLICATE KEY UPDATE run_logs.run_id = run_logs.run_id;

-- ending/logs.py READ
SELECT l.run_id, l.attempt, l.at_offset, l.size, l.body FROM run_logs l
WHERE l.run_id = %(run_id)s AND l.attempt >= %(from_attempt)s AND l.attempt <= %(to_attempt)s
      AND (l.attempt > %(from_attempt)s OR l.at_offset + l.size > %(offset)s)
ORDER BY l.attempt, l.at_offset LIMIT %(limit)s;

-- ending/logs.py END
SELECT coalesce(max(l.at_offset + l.size), 0) FROM run_logs l
WHERE l.run_id = %(run_id)s AND l.attempt = %(attempt)s;

-- ending/lost_shards.py NAMES
SELECT n.id, n.name FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN nodes n FORCE INDEX (PRIMARY) ON n.id = d.id WHERE true;

-- ending/parents.py TALLY
SELECT r.parent_id, r.state, r.kind, count(*) AS runs FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs r ON r.parent_id = d.id WHERE true
GROUP BY r.parent_id, r.state, r.kind;

-- ending/parents.py COUNT_DOWN
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, ver BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, open_children BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, state LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, kind LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, ended_at BIGINT PATH '$[5]' NULL ON EMPTY ERROR ON ERROR, result LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[6]' NULL ON EMPTY ERROR ON ERROR, error LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[7]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs FORCE INDEX (PRIMARY) SET runs.open_children = d.open_children, runs.state = d.state, runs.kind = d.kind, runs.ended_at = d.ended_at, runs.result = d.result, runs.ver = runs.ver + 1, runs.error = CASE WHEN d.state IN ('RUNNING', 'CANCELLED') THEN coalesce(d.error, runs.error) ELSE d.error END WHERE runs.id = d.id AND runs.ver = d.ver;

-- ending/parents.py INSERT_MERGE
INSERT INTO runs (job_id, version, fire_key, shard, parent_id, due_at, not_before, lane, class, priority,
                      serial, place, parked, follow, state, ver, created_at, triggered_by, reason, params)
SELECT p.job_id, p.version, d.fire_key, -1, p.id, p.due_at, %(now)s, d.lane, p.class, p.priority,
       p.serial, p.place, 0, d.follow, 'PENDING', 1, %(now)s, p.triggered_by, p.reason, p.params
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, fire_key LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, lane BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, follow BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN runs p ON p.id = d.id WHERE true
ON DUPLICATE KEY UPDATE runs.job_id = runs.job_id;

-- ending/retention.py WALK
SELECT r.id, r.created_at,
       CASE WHEN r.ended_at < %(before)s AND r.state NOT IN ('PENDING', 'RUNNING')
                 AND NOT EXISTS (SELECT 1 FROM runs p WHERE p.id = r.parent_id
                                 AND (p.ended_at IS NULL OR p.ended_at >= %(before)s))
            THEN 1 ELSE 0 END
FROM runs r WHERE r.id > %(after)s ORDER BY r.id LIMIT %(limit)s;

-- ending/retention.py DELETE_RUNS
DELETE runs FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs FORCE INDEX (PRIMARY) ON runs.id = d.id WHERE true AND ended_at IS NOT NULL;

-- ending/retention.py DELETE_ATTEMPTS
DELETE attempts FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN attempts ON attempts.run_id = d.id WHERE true;

-- ending/retention.py DELETE_LOGS
DELETE run_logs FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN run_logs ON run_logs.run_id = d.id WHERE true;

-- ending/retention.py DELETE_CALLBACKS
DELETE callbacks FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN callbacks ON callbacks.run_id = d.id WHERE true;

-- ending/retention.py WALK_SKIPS
SELECT id, to_at FROM skips WHERE id > %(after)s ORDER BY id LIMIT %(limit)s;

-- ending/retention.py DELETE_SKIPS
DELETE skips FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN skips ON skips.id = d.id WHERE true AND to_at < %(before)s;

-- ending/retention.py LONG_DEAD
SELECT n.id FROM nodes n
WHERE n.state = 'dead' AND n.until < TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - %(listed)s AND (n.ended_at IS NULL OR n.ended_at < TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - %(listed)s)
  AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.held_by = n.id AND r.state = 'RUNNING')
ORDER BY n.id LIMIT %(limit)s;

-- ending/retention.py DELETE_NODES
DELETE nodes FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN nodes FORCE INDEX (PRIMARY) ON nodes.id = d.id WHERE true;

-- ending/retention.py OLD_WINDOWS
SELECT 0 AS is_key, w.job_id, w.window_key AS name FROM
  (SELECT job_id, window_key FROM trigger_windows WHERE until < TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - %(listed)s ORDER BY until LIMIT %(limit)s) AS w
UNION ALL
SELECT 1, k.job_id, k.fire_key FROM
  (SELECT job_id, fire_key FROM trigger_keys WHERE until < TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) ORDER BY until LIMIT %(limit)s) AS k;

-- ending/retention.py DELETE_WINDOWS
DELETE w FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, window_key LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN trigger_windows w FORCE INDEX (PRIMARY)
       ON w.job_id = d.job_id AND w.window_key = d.window_key
WHERE w.until < TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - %(listed)s;

-- ending/retention.py DELETE_KEYS
DELETE k FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, fire_key LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN trigger_keys k FORCE INDEX (PRIMARY)
       ON k.job_id = d.job_id AND k.fire_key = d.fire_key
WHERE k.until < TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6));

-- ending/success.py GLANCE
   SELECT r.id, r.lease_id, r.last_lease_id, r.started_at, r.leased_at, r.follow, r.job_id,
          CASE WHEN
   (r.follow & 8) > 0 AND (
     SELECT 1 FROM runs p
     WHERE p.parked_job = r.job_id AND p.state = 'PENDING' AND p.parked = 1 AND p.place IS NOT NULL
     LIMIT 1) = 1
THEN 1 ELSE 0 END, r.session_id, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6))
   FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs r FORCE INDEX (PRIMARY) ON r.id = d.id WHERE true;

-- ending/success.py SUCCEED_AT_ONCE
   UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, lease_id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, started_us_ago BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, result LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs FORCE INDEX (PRIMARY) SET runs.state = 'SUCCEEDED', runs.ver = runs.ver + 1, runs.last_lease_id = runs.lease_id, runs.lease_id = NULL, runs.ended_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), runs.started_at = coalesce(runs.started_at, CASE WHEN TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - d.started_us_ago > runs.leased_at
                                                   THEN TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - d.started_us_ago
                                                   WHEN d.started_us_ago IS NOT NULL THEN runs.leased_at END), runs.deadline_at = NULL, runs.result = d.result, runs.error = NULL WHERE runs.id = d.id AND runs.lease_id = d.lease_id AND coalesce(runs.session_id, '') = %(session)s
         AND (runs.follow & 7703) = 0
   RETURNING runs.id, runs.last_lease_id, CASE WHEN
   (runs.follow & 8) > 0 AND (
     SELECT 1 FROM runs p
     WHERE p.parked_job = runs.job_id AND p.state = 'PENDING' AND p.parked = 1 AND p.place IS NOT NULL
     LIMIT 1) = 1
THEN runs.job_id END;

-- ending/success.py SUCCEED
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, lease_id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, started_at BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, result LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs FORCE INDEX (PRIMARY) SET runs.state = 'SUCCEEDED', runs.ver = runs.ver + 1, runs.last_lease_id = runs.lease_id, runs.lease_id = NULL, runs.ended_at = %(now)s, runs.started_at = coalesce(runs.started_at, d.started_at), runs.deadline_at = NULL, runs.result = d.result, runs.error = NULL WHERE runs.id = d.id AND runs.lease_id = d.lease_id;

-- firing/assigned_fires.py STEP
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, seen BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, next_at BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, next_due_at BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, state LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN cursors FORCE INDEX (PRIMARY) SET cursors.next_at = d.next_at, cursors.next_due_at = d.next_due_at, cursors.route_state = d.state, cursors.cursor_ver = cursors.cursor_ver + 1 WHERE cursors.job_id = d.job_id AND cursors.cursor_ver = d.seen;

-- firing/assigned_fires.py INSERT
INSERT INTO runs (job_id, version, fire_key, shard, due_at, not_before, lane, class, priority, serial, place,
                      parked, assigned_to, assigned_until, assigned_rank, follow, state, ver, created_at)
SELECT d.job_id, d.version, d.fire_key, -1, d.due_at, d.not_before, d.shape >> 16, 0, (d.shape >> 12) & 15,
       (d.shape >> 2) & 3, d.place, 2, d.session,
       CASE WHEN d.session <> '*' THEN TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) + 30000000 END,
       d.not_before - ((d.shape >> 12) & 15) * 60000000, (d.shape >> 4) & 255, 'PENDING', 1, %(now)s
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, version BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, fire_key LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, due_at BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, not_before BIGINT PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, place BIGINT PATH '$[5]' NULL ON EMPTY ERROR ON ERROR, shape BIGINT PATH '$[6]' NULL ON EMPTY ERROR ON ERROR, session LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[7]' NULL ON EMPTY ERROR ON ERROR)) AS d WHERE true
ON DUPLICATE KEY UPDATE runs.job_id = runs.job_id;

-- firing/backfills.py ADD
INSERT INTO backfills (job_id, version, from_at, to_at, selection, parallel, newest_first, state, ver, instants,
                           total, inserted, succeeded, failed, live, params, created_at, created_by, reason,
                           request_key)
VALUES (%(job_id)s, %(version)s, %(from_at)s, %(to_at)s, %(selection)s, %(parallel)s, %(newest_first)s, 'active', 1, %(instants)s,
        %(total)s, 0, 0, 0, '[]', %(params)s, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), %(created_by)s, %(reason)s, %(request_key)s)
ON DUPLICATE KEY UPDATE backfills.job_id = backfills.job_id
RETURNING id;

-- firing/backfills.py ASKED
SELECT
    b.id, b.job_id, j.namespace, j.name, j.deleted_at, b.version, b.from_at, b.to_at, b.selection, b.parallel,
    b.newest_first, b.state, b.ver, b.instants, b.total, b.inserted, b.succeeded, b.failed, b.live, b.params,
    b.created_at, b.created_by, b.reason, b.ended_at FROM backfills b JOIN jobs j ON j.id = b.job_id WHERE b.request_key = %(request_key)s;

-- firing/backfills.py ONE
SELECT
    b.id, b.job_id, j.namespace, j.name, j.deleted_at, b.version, b.from_at, b.to_at, b.selection, b.parallel,
    b.newest_first, b.state, b.ver, b.instants, b.total, b.inserted, b.succeeded, b.failed, b.live, b.params,
    b.created_at, b.created_by, b.reason, b.ended_at FROM backfills b JOIN jobs j ON j.id = b.job_id WHERE b.id = %(id)s;

-- firing/backfills.py PAGE
SELECT
    b.id, b.job_id, j.namespace, j.name, j.deleted_at, b.version, b.from_at, b.to_at, b.selection, b.parallel,
    b.newest_first, b.state, b.ver, b.instants, b.total, b.inserted, b.succeeded, b.failed, b.live, b.params,
    b.created_at, b.created_by, b.reason, b.ended_at FROM backfills b JOIN jobs j ON j.id = b.job_id WHERE b.id < %(before)s AND (%(any_namespace)s = 1 OR j.namespace = %(namespace)s) ORDER BY b.id DESC LIMIT %(rows)s;

-- firing/backfills.py PAGE_OF_JOB
SELECT
    b.id, b.job_id, j.namespace, j.name, j.deleted_at, b.version, b.from_at, b.to_at, b.selection, b.parallel,
    b.newest_first, b.state, b.ver, b.instants, b.total, b.inserted, b.succeeded, b.failed, b.live, b.params,
    b.created_at, b.created_by, b.reason, b.ended_at FROM backfills b JOIN jobs j ON j.id = b.job_id WHERE b.job_id = %(job_id)s AND b.id < %(before)s ORDER BY b.id DESC LIMIT %(rows)s;

-- firing/backfills.py TO_GO_ON
SELECT
    b.id, b.job_id, j.namespace, j.name, j.deleted_at, b.version, b.from_at, b.to_at, b.selection, b.parallel,
    b.newest_first, b.state, b.ver, b.instants, b.total, b.inserted, b.succeeded, b.failed, b.live, b.params,
    b.created_at, b.created_by, b.reason, b.ended_at FROM backfills b JOIN jobs j ON j.id = b.job_id WHERE b.id = %(id)s AND b.state = 'active' AND (EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = %(term)s) OR %(term)s IS NULL) AND (SELECT m.maintenance_until FROM store_meta m WHERE m.id = 1) <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6));

-- firing/backfills.py ACTIVE
SELECT id FROM backfills WHERE state = 'active' AND id > %(after)s ORDER BY id LIMIT %(rows)s;

-- firing/backfills.py SET_STATE
UPDATE backfills SET state = %(state)s, ver = ver + 1, ended_at = %(ended_at)s WHERE id = %(id)s AND state IN ('active', 'paused');

-- firing/backfills.py WENT_ON
UPDATE backfills SET inserted = %(inserted)s, succeeded = %(succeeded)s, failed = %(failed)s, live = %(live)s, state = %(state)s, ended_at = %(ended_at)s, ver = ver + 1 WHERE id = %(id)s AND ver = %(seen)s AND (EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = %(term)s) OR %(term)s IS NULL);

-- firing/backfills.py STATES
SELECT runs.id, runs.state FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN runs ON runs.id = d.id;

-- firing/backfills.py BY_KEY
SELECT runs.id, runs.fire_key, runs.triggered_by FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, fire_key LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN runs ON runs.job_id = d.job_id AND runs.fire_key = d.fire_key AND runs.shard = -1;

-- firing/backfills.py SCHEDULED
SELECT due_at, state, id, fire_key FROM runs WHERE job_id = %(job_id)s AND fire_key > %(after)s AND fire_key < %(past)s AND shard = -1 AND due_at >= %(from_at)s AND due_at < %(to_at)s ORDER BY fire_key LIMIT 5000;

-- firing/backfills.py BACKFILLED
SELECT due_at, state, id FROM runs WHERE job_id = %(job_id)s AND fire_key >= 'b:' AND fire_key < 'b;' AND shard = -1 AND due_at >= %(from_at)s AND due_at < %(to_at)s ORDER BY id DESC LIMIT 100000;

-- firing/line.py BUMP
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, bump BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN cursors FORCE INDEX (PRIMARY) SET cursors.cursor_ver = cursors.cursor_ver + d.bump WHERE cursors.job_id = d.job_id;

-- firing/line.py LOCK
SELECT cursors.job_id, cursors.cursor_ver, cursors.version FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN cursors FORCE INDEX (PRIMARY) ON cursors.job_id = d.job_id WHERE true ORDER BY cursors.job_id FOR UPDATE;

-- firing/line.py PLACES
SELECT cursors.job_id, cursors.cursor_ver, cursors.version, jobs.deleted_at FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d
JOIN cursors ON cursors.job_id = d.job_id JOIN jobs ON jobs.id = d.job_id;

-- firing/line.py PLACES_AND_QUEUE
SELECT cursors.job_id, cursors.cursor_ver, cursors.version, jobs.deleted_at, (
  SELECT 1 FROM runs r WHERE r.line_job = d.job_id AND r.state = 'PENDING' AND r.class <> 1
  ORDER BY r.place DESC, r.id DESC LIMIT 1 OFFSET 99)
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d
JOIN cursors ON cursors.job_id = d.job_id JOIN jobs ON jobs.id = d.job_id;

-- firing/line.py SITUATION
    SELECT r.line_job, least(sum(NOT ((r.fire_key >= 'b:' AND r.fire_key < 'b;') OR (r.fire_key >= 't:' AND r.fire_key < 't;') OR (r.fire_key >= 's:' AND r.fire_key < 's;' AND r.triggered_by IS NOT NULL))), %(cap)s) + 32768 * least(sum(NOT ((r.fire_key >= 'b:' AND r.fire_key < 'b;') OR (r.fire_key >= 't:' AND r.fire_key < 't;') OR (r.fire_key >= 's:' AND r.fire_key < 's;' AND r.triggered_by IS NOT NULL)) AND r.state = 'PENDING' AND r.attempt = 0) +
    sum(NOT ((r.fire_key >= 'b:' AND r.fire_key < 'b;') OR (r.fire_key >= 't:' AND r.fire_key < 't;') OR (r.fire_key >= 's:' AND r.fire_key < 's;' AND r.triggered_by IS NOT NULL)) AND r.open_children > 0)
    - coalesce(min(CASE WHEN NOT ((r.fire_key >= 'b:' AND r.fire_key < 'b;') OR (r.fire_key >= 't:' AND r.fire_key < 't;') OR (r.fire_key >= 's:' AND r.fire_key < 's;' AND r.triggered_by IS NOT NULL)) AND r.open_children > 0 THEN r.place END) = min(r.place), 0)
, %(cap)s) + 1073741824 * least(sum(r.state = 'PENDING' AND r.attempt = 0 AND r.class = 1), %(cap)s) + 35184372088832 * least(sum(NOT ((r.fire_key >= 'b:' AND r.fire_key < 'b;') OR (r.fire_key >= 't:' AND r.fire_key < 't;') OR (r.fire_key >= 's:' AND r.fire_key < 's;' AND r.triggered_by IS NOT NULL)) AND r.fire_key >= 's:' AND r.fire_key < 's;'), %(cap)s)
    FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs r ON r.line_job = d.job_id
    WHERE r.parent_id IS NULL
    GROUP BY r.line_job;

-- firing/line.py NEWEST_FIRES
SELECT d.job_id, (SELECT r.state FROM runs r
                  WHERE r.job_id = d.job_id AND r.fire_key >= 's:' AND r.fire_key < 's;' AND r.shard = -1 AND r.triggered_by IS NULL
                  ORDER BY r.fire_key DESC LIMIT 1)
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d;

-- firing/line_heads.py HEADS
SELECT h.id, h.state FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs h ON h.id = (
  SELECT r.id FROM runs r WHERE r.line_job = d.job_id ORDER BY r.place, r.id LIMIT 1);

-- firing/line_heads.py PARKED
SELECT r.id, r.ver FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs r FORCE INDEX (PRIMARY) ON r.id = d.id WHERE true AND r.state = 'PENDING' AND r.parked = 1 AND r.place IS NOT NULL
ORDER BY r.id FOR UPDATE SKIP LOCKED;

-- firing/line_heads.py PARKED_SHARDS
SELECT r.id, r.ver FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs r ON r.parent_id = d.id WHERE true AND r.state = 'PENDING' AND r.parked = 1
ORDER BY r.id FOR UPDATE SKIP LOCKED;

-- firing/line_heads.py UNPARK
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, ver BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs FORCE INDEX (PRIMARY) SET runs.parked = CASE WHEN (runs.follow & 256) <> 0 THEN 2 ELSE 0 END, runs.ver = runs.ver + 1, runs.assigned_to = CASE WHEN (runs.follow & 256) <> 0 THEN runs.session_id ELSE runs.assigned_to END, runs.not_before = CASE WHEN runs.not_before < TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) THEN TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) ELSE runs.not_before END WHERE runs.id = d.id AND runs.ver = d.ver;

-- firing/new_runs.py INSERT_RUNS
INSERT INTO runs (job_id, version, fire_key, shard, due_at, not_before, lane, class, priority, serial, place,
                      parked, follow, state, ver, created_at)
SELECT d.job_id, d.version, d.fire_key, -1, d.due_at, d.not_before, d.shape >> 16, d.shape & 1,
       (d.shape >> 12) & 15, (d.shape >> 2) & 3, d.place, (d.shape >> 1) & 1, (d.shape >> 4) & 255, 'PENDING', 1, %(now)s
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, version BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, fire_key LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, due_at BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, not_before BIGINT PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, place BIGINT PATH '$[5]' NULL ON EMPTY ERROR ON ERROR, shape BIGINT PATH '$[6]' NULL ON EMPTY ERROR ON ERROR)) AS d WHERE true
ON DUPLICATE KEY UPDATE runs.job_id = runs.job_id;

-- firing/new_runs.py INSERT_OTHER_RUNS
INSERT INTO runs (job_id, version, fire_key, shard, due_at, not_before, lane, class, priority, serial, place,
                      parked, follow, state, kind, ver, open_children, created_at, ended_at, error, triggered_by,
                      reason, params)
SELECT d.job_id, d.version, d.fire_key, -1, d.due_at, d.not_before, d.lane, d.class, d.priority, d.serial, d.place,
       d.parked, d.follow, d.state, d.kind, 1, d.open_children, %(now)s, d.ended_at, d.error, d.triggered_by,
       d.reason, d.params
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, version BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, fire_key LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, due_at BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, not_before BIGINT PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, lane BIGINT PATH '$[5]' NULL ON EMPTY ERROR ON ERROR, class BIGINT PATH '$[6]' NULL ON EMPTY ERROR ON ERROR, priority BIGINT PATH '$[7]' NULL ON EMPTY ERROR ON ERROR, serial BIGINT PATH '$[8]' NULL ON EMPTY ERROR ON ERROR, place BIGINT PATH '$[9]' NULL ON EMPTY ERROR ON ERROR, parked BIGINT PATH '$[10]' NULL ON EMPTY ERROR ON ERROR, follow BIGINT PATH '$[11]' NULL ON EMPTY ERROR ON ERROR, state LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[12]' NULL ON EMPTY ERROR ON ERROR, kind LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[13]' NULL ON EMPTY ERROR ON ERROR, open_children BIGINT PATH '$[14]' NULL ON EMPTY ERROR ON ERROR, ended_at BIGINT PATH '$[15]' NULL ON EMPTY ERROR ON ERROR, error LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[16]' NULL ON EMPTY ERROR ON ERROR, triggered_by LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[17]' NULL ON EMPTY ERROR ON ERROR, reason LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[18]' NULL ON EMPTY ERROR ON ERROR, params LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[19]' NULL ON EMPTY ERROR ON ERROR)) AS d WHERE true
ON DUPLICATE KEY UPDATE runs.job_id = runs.job_id;

-- firing/new_runs.py INSERT_CHILDREN
INSERT INTO runs (job_id, version, fire_key, shard, parent_id, due_at, not_before, lane, class, priority,
                      serial, place, parked, follow, state, ver, created_at, triggered_by, reason, params)
SELECT p.job_id, p.version, p.fire_key, d.shard, p.id, p.due_at, p.not_before, p.lane,
       CASE WHEN d.is_surplus = 1 AND p.class = 0 AND p.serial = 0 AND (p.follow & 128) = 0
            THEN 2 ELSE p.class END,
       p.priority, p.serial, p.place, p.parked, d.follow | (p.follow & 224), 'PENDING', 1, %(now)s,
       p.triggered_by, p.reason, p.params
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, fire_key LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, place BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, shard BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, follow BIGINT PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, is_surplus BIGINT PATH '$[5]' NULL ON EMPTY ERROR ON ERROR)) AS d
JOIN runs p ON p.job_id = d.job_id AND p.fire_key = d.fire_key AND p.shard = -1
WHERE p.place = d.place AND p.state = 'RUNNING'
ON DUPLICATE KEY UPDATE runs.job_id = runs.job_id;

-- firing/new_runs.py INSERT_OWN
INSERT INTO runs (job_id, version, fire_key, shard, parent_id, due_at, not_before, lane, class, priority,
                      serial, place, parked, assigned_to, session_id, assigned_rank, follow, state, ver, created_at,
                      triggered_by, reason, params)
SELECT p.job_id, p.version, p.fire_key, d.shard, p.id, p.due_at, p.not_before, p.lane, p.class, p.priority,
       p.serial, p.place, CASE WHEN p.parked = 0 THEN 2 ELSE p.parked END,
       CASE WHEN p.parked = 0 THEN d.session END, d.session, p.not_before - p.priority * 60000000 + CASE WHEN p.class = 0 THEN 0 ELSE 1152921504606846976 END,
       d.follow | (p.follow & 224), 'PENDING', 1, %(now)s, p.triggered_by, p.reason, p.params
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, fire_key LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, place BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, shard BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, session LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, follow BIGINT PATH '$[5]' NULL ON EMPTY ERROR ON ERROR)) AS d
JOIN runs p ON p.job_id = d.job_id AND p.fire_key = d.fire_key AND p.shard = -1
WHERE p.place = d.place AND p.state = 'RUNNING'
ON DUPLICATE KEY UPDATE runs.job_id = runs.job_id;

-- firing/new_runs.py INSERT_KEPT
INSERT INTO runs (job_id, version, fire_key, shard, parent_id, due_at, not_before, lane, class, priority,
                      serial, place, parked, follow, state, ver, created_at, ended_at, triggered_by, reason, params,
                      result)
SELECT p.job_id, p.version, p.fire_key, o.shard, p.id, p.due_at, p.not_before, p.lane, p.class, p.priority,
       p.serial, p.place, 0, 4 | (p.follow & 224), 'SUCCEEDED', 1, %(now)s, %(now)s,
       p.triggered_by, d.reason, p.params, o.result
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, fire_key LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, place BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, kept_of BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, reason LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4]' NULL ON EMPTY ERROR ON ERROR)) AS d
JOIN runs p ON p.job_id = d.job_id AND p.fire_key = d.fire_key AND p.shard = -1
JOIN runs o ON o.parent_id = d.kept_of AND o.shard >= 0 AND o.state = 'SUCCEEDED'
WHERE p.place = d.place AND p.state = 'RUNNING'
ON DUPLICATE KEY UPDATE runs.job_id = runs.job_id;

-- firing/own_shards.py SHARDS
SELECT r.shard, r.state, r.session_id, n.name FROM runs r LEFT JOIN nodes n ON n.id = r.session_id
WHERE r.parent_id = %(id)s AND r.shard >= 0 ORDER BY r.shard;

-- firing/own_shards.py NAMED
SELECT n.id, n.name, n.group_name, n.namespace, n.labels, n.handlers FROM nodes n
WHERE n.state = 'live' AND n.kind <> 'server' AND n.name IN (SELECT d.name FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d);

-- firing/queues.py QUEUED
SELECT d.job_id,
  coalesce((SELECT sum(NOT ((r.fire_key >= 'b:' AND r.fire_key < 'b;') OR (r.fire_key >= 't:' AND r.fire_key < 't;') OR (r.fire_key >= 's:' AND r.fire_key < 's;' AND r.triggered_by IS NOT NULL)) AND r.state = 'PENDING' AND r.attempt = 0) +
sum(NOT ((r.fire_key >= 'b:' AND r.fire_key < 'b;') OR (r.fire_key >= 't:' AND r.fire_key < 't;') OR (r.fire_key >= 's:' AND r.fire_key < 's;' AND r.triggered_by IS NOT NULL)) AND r.open_children > 0 AND r.serial <> 0) - coalesce(min(CASE WHEN NOT ((r.fire_key >= 'b:' AND r.fire_key < 'b;') OR (r.fire_key >= 't:' AND r.fire_key < 't;') OR (r.fire_key >= 's:' AND r.fire_key < 's;' AND r.triggered_by IS NOT NULL)) AND r.open_children > 0 AND r.serial <> 0 THEN r.place END) = min(r.place), 0)
+ sum(NOT ((r.fire_key >= 'b:' AND r.fire_key < 'b;') OR (r.fire_key >= 't:' AND r.fire_key < 't;') OR (r.fire_key >= 's:' AND r.fire_key < 's;' AND r.triggered_by IS NOT NULL)) AND r.open_children > 0 AND r.serial = 0 AND NOT EXISTS (SELECT 1 FROM runs c WHERE c.parent_id = r.id AND c.attempt > 0))
            FROM runs r WHERE r.line_job = d.job_id AND r.parent_id IS NULL), 0)
  + coalesce(later.runs, 0)
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d
LEFT JOIN (SELECT r.job_id, count(*) AS runs FROM runs r FORCE INDEX (runs_later)
           WHERE %(with_later)s = 1 AND r.waits = 2 AND r.shard = -1 AND NOT ((r.fire_key >= 'b:' AND r.fire_key < 'b;') OR (r.fire_key >= 't:' AND r.fire_key < 't;') OR (r.fire_key >= 's:' AND r.fire_key < 's;' AND r.triggered_by IS NOT NULL)) AND r.attempt = 0
           GROUP BY r.job_id) later ON later.job_id = d.job_id;

-- firing/record.py STEP
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, seen BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, next_at BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, next_due_at BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN cursors FORCE INDEX (PRIMARY) SET cursors.next_at = d.next_at, cursors.next_due_at = d.next_due_at, cursors.cursor_ver = cursors.cursor_ver + 1 WHERE cursors.job_id = d.job_id AND cursors.cursor_ver = d.seen;

-- firing/record.py MOVE
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, seen BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, bump BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, version BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, state LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, next_at BIGINT PATH '$[5]' NULL ON EMPTY ERROR ON ERROR, next_due_at BIGINT PATH '$[6]' NULL ON EMPTY ERROR ON ERROR, remaining BIGINT PATH '$[7]' NULL ON EMPTY ERROR ON ERROR, skip_from BIGINT PATH '$[8]' NULL ON EMPTY ERROR ON ERROR, skip_reason LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[9]' NULL ON EMPTY ERROR ON ERROR, skip_why LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[10]' NULL ON EMPTY ERROR ON ERROR, trouble LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[11]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN cursors FORCE INDEX (PRIMARY) SET cursors.version = d.version, cursors.state = d.state, cursors.next_at = d.next_at, cursors.next_due_at = d.next_due_at, cursors.cursor_ver = cursors.cursor_ver + d.bump, cursors.remaining = d.remaining, cursors.skip_from = d.skip_from, cursors.skip_reason = d.skip_reason, cursors.skip_why = d.skip_why, cursors.trouble = d.trouble WHERE cursors.job_id = d.job_id AND cursors.cursor_ver = d.seen;

-- firing/record.py INSERT_SKIPS
INSERT INTO skips (job_id, fire_key, from_at, to_at, count, reason, why, cause, version, decided_at, held)
SELECT d.job_id, d.fire_key, d.from_at, d.to_at, d.count, d.reason, d.why, d.cause, d.version, %(now)s, d.held
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, fire_key LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, from_at BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, to_at BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, count BIGINT PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, reason LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[5]' NULL ON EMPTY ERROR ON ERROR, why LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[6]' NULL ON EMPTY ERROR ON ERROR, cause LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[7]' NULL ON EMPTY ERROR ON ERROR, version BIGINT PATH '$[8]' NULL ON EMPTY ERROR ON ERROR, held BIGINT PATH '$[9]' NULL ON EMPTY ERROR ON ERROR)) AS d WHERE true
ON DUPLICATE KEY UPDATE skips.job_id = skips.job_id;

-- firing/record.py EXTEND_SKIPS
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, fire_key LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, from_at BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, to_at BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, count BIGINT PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, reason LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[5]' NULL ON EMPTY ERROR ON ERROR, why LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[6]' NULL ON EMPTY ERROR ON ERROR, cause LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[7]' NULL ON EMPTY ERROR ON ERROR, version BIGINT PATH '$[8]' NULL ON EMPTY ERROR ON ERROR, held BIGINT PATH '$[9]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN skips SET skips.to_at = d.to_at, skips.count = skips.count + d.count, skips.decided_at = %(now)s WHERE skips.job_id = d.job_id AND skips.fire_key = d.fire_key;

-- firing/record.py KNOWN_SKIPS
SELECT skips.job_id, skips.fire_key FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, fire_key LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d
JOIN skips ON skips.job_id = d.job_id AND skips.fire_key = d.fire_key;

-- firing/record.py RESUMED
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN jobs FORCE INDEX (PRIMARY) SET jobs.pause_reason = NULL, jobs.paused_by = NULL, jobs.paused_at = NULL, jobs.updated_at = %(now)s WHERE jobs.id = d.job_id;

-- firing/record.py NO_LONGER_HELD
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN skips SET skips.held = 0 WHERE skips.job_id = d.job_id AND skips.held = 1;

-- firing/record.py WAITING_CATCH_UP
SELECT runs.id, runs.ver, runs.priority FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d
JOIN runs ON runs.line_job = d.job_id
WHERE runs.state IN ('PENDING', 'RUNNING') AND runs.shard = -1 AND runs.state = 'PENDING'
      AND runs.place IS NOT NULL AND runs.class = 1 AND runs.attempt = 0
ORDER BY runs.id LIMIT %(limit)s
FOR UPDATE SKIP LOCKED;

-- firing/record.py PROMOTE
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, ver BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, rank_ BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs FORCE INDEX (PRIMARY) SET runs.class = 0, runs.not_before = %(now)s, runs.ver = runs.ver + 1, runs.assigned_rank = CASE WHEN runs.parked = 2 THEN d.rank_ ELSE runs.assigned_rank END WHERE runs.id = d.id AND runs.ver = d.ver AND runs.state = 'PENDING';

-- firing/repair.py WITHOUT_NEXT
SELECT j.id FROM jobs j JOIN cursors c ON c.job_id = j.id
WHERE j.from_end = 1 AND j.id > %(after)s AND coalesce(c.next_at, -1) = -1 AND c.state = 'active'
ORDER BY j.from_end, j.id LIMIT %(limit)s;

-- firing/repair.py UNKNOWN
SELECT j.id FROM jobs j WHERE j.from_end IS NULL ORDER BY j.from_end, j.id LIMIT %(limit)s FOR UPDATE SKIP LOCKED;

-- firing/repair.py LEARN
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN jobs FORCE INDEX (PRIMARY) SET jobs.from_end = CASE WHEN EXISTS (
  SELECT 1 FROM job_versions v
  WHERE v.job_id = jobs.id AND v.version = jobs.version AND v.definition LIKE %(marked)s) THEN 1 ELSE 0 END WHERE jobs.id = d.job_id;

-- firing/repair.py LOCK
SELECT c.job_id, c.version, c.state, c.next_at, c.next_due_at, c.cursor_ver, c.remaining, c.skip_from,
       c.skip_reason, c.skip_why
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN cursors c FORCE INDEX (PRIMARY) ON c.job_id = d.job_id WHERE true AND c.next_at IS NULL AND c.state = 'active'
  AND (EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = %(term)s) OR %(term)s IS NULL)
ORDER BY c.job_id FOR UPDATE SKIP LOCKED;

-- firing/sweep.py DUE_LATER
SELECT id, job_id, version FROM runs WHERE waits = 2 AND not_before <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) ORDER BY not_before, id LIMIT %(limit)s;

-- firing/sweep.py DUE_LATER_OF_OTHERS
SELECT id, job_id, version FROM runs WHERE waits = 2 AND not_before <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AND job_id NOT IN (SELECT d.job_id FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d) ORDER BY not_before, id LIMIT %(limit)s;

-- firing/sweep.py DUE_INDEED
SELECT id, job_id, version FROM runs WHERE waits = 2 AND not_before <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AND job_id NOT IN (SELECT d.job_id FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d) AND (not_before <= %(believed)s OR created_at > %(good)s) ORDER BY not_before, id LIMIT %(limit)s;

-- firing/sweep.py FREE_CURSORS
SELECT cursors.job_id FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN cursors FORCE INDEX (PRIMARY) ON cursors.job_id = d.job_id WHERE true ORDER BY cursors.job_id FOR UPDATE SKIP LOCKED;

-- firing/sweep.py STILL_LATER
SELECT runs.id, runs.job_id, runs.version, runs.fire_key, runs.ver, runs.serial, runs.priority, runs.follow,
       runs.not_before
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs FORCE INDEX (PRIMARY) ON runs.id = d.id WHERE true AND runs.state = 'PENDING' AND runs.place IS NULL
      AND runs.not_before <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6))
ORDER BY runs.id FOR UPDATE SKIP LOCKED;

-- firing/sweep.py ADMIT
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, ver BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, version BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, lane BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, priority BIGINT PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, serial BIGINT PATH '$[5]' NULL ON EMPTY ERROR ON ERROR, place BIGINT PATH '$[6]' NULL ON EMPTY ERROR ON ERROR, parked BIGINT PATH '$[7]' NULL ON EMPTY ERROR ON ERROR, state LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[8]' NULL ON EMPTY ERROR ON ERROR, children BIGINT PATH '$[9]' NULL ON EMPTY ERROR ON ERROR, follow BIGINT PATH '$[10]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs FORCE INDEX (PRIMARY) SET runs.version = d.version, runs.lane = d.lane, runs.priority = d.priority, runs.serial = d.serial, runs.place = d.place, runs.parked = d.parked, runs.state = d.state, runs.open_children = d.children, runs.follow = d.follow, runs.not_before = %(now)s, runs.ver = runs.ver + 1 WHERE runs.id = d.id AND runs.ver = d.ver AND runs.state = 'PENDING' AND runs.place IS NULL;

-- firing/sweep.py PARKED_JOBS
SELECT q.parked_job, (SELECT r.serial FROM runs r WHERE r.parked_job = q.parked_job ORDER BY r.place, r.id LIMIT 1)
FROM (SELECT w.parked_job FROM runs w WHERE w.parked_job > %(after)s GROUP BY w.parked_job ORDER BY w.parked_job
      LIMIT %(limit)s) q;

-- firing/sweep.py REPLACED_WAITING
SELECT r.id, r.ver FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d
JOIN runs r ON r.line_job = d.job_id
WHERE r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.state = 'PENDING' AND r.parent_id IS NULL
      AND
r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
  SELECT 1 FROM runs l WHERE l.line_job = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                         AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
UNION ALL
SELECT c.id, c.ver FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d
JOIN runs r ON r.line_job = d.job_id
JOIN runs c ON c.parent_id = r.id
WHERE r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.state = 'RUNNING' AND c.state = 'PENDING'
      AND
r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
  SELECT 1 FROM runs l WHERE l.line_job = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                         AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
LIMIT %(limit)s;

-- firing/triggers.py JOBS
SELECT d.n, jobs.id FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (n BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, namespace LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR)) AS d
JOIN jobs ON jobs.namespace = d.namespace AND jobs.name = d.name AND jobs.deleted_at = 0;

-- firing/triggers.py BY_KEY
SELECT d.n, coalesce(r.id, o.id) AS id, coalesce(r.not_before, o.not_before) AS not_before, k.asked FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (n BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, job_id BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, fire_key LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR)) AS d
LEFT JOIN runs r ON r.job_id = d.job_id AND r.fire_key = d.fire_key AND r.shard = -1
LEFT JOIN trigger_keys k ON k.job_id = d.job_id AND k.fire_key = d.fire_key AND (r.id IS NULL OR k.run_id = r.id)
LEFT JOIN runs o ON o.id = k.run_id
WHERE r.id IS NOT NULL OR o.id IS NOT NULL;

-- firing/triggers.py KEPT
SELECT r.parent_id, r.shard FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d
JOIN runs r ON r.parent_id = d.id AND r.shard >= 0 AND r.state = 'SUCCEEDED';

-- firing/windows.py FIND
SELECT w.run_id, w.opened_at, w.until, w.used, r.not_before FROM trigger_windows w JOIN runs r ON r.id = w.run_id
WHERE w.job_id = %(job_id)s AND w.window_key = %(window_key)s;

-- firing/windows.py PUT_OFF
UPDATE runs SET params = %(params)s, due_at = %(at)s, not_before = %(at)s, priority = coalesce(%(priority)s, priority),
       triggered_by = %(by)s, reason = %(reason)s, ver = ver + 1
WHERE id = %(run_id)s AND state = 'PENDING' AND attempt = 0 AND not_before > %(now)s AND cancel_at IS NULL;

-- firing/windows.py LONGER
UPDATE trigger_windows SET until = %(until)s WHERE job_id = %(job_id)s AND window_key = %(window_key)s;

-- firing/windows.py AGAIN
UPDATE trigger_windows SET run_id = %(run_id)s, opened_at = %(opened_at)s, until = %(until)s, used = %(used)s WHERE job_id = %(job_id)s AND window_key = %(window_key)s;

-- firing/windows.py OPEN
INSERT INTO trigger_windows (job_id, window_key, run_id, opened_at, until, used) VALUES (%(job_id)s, %(window_key)s, %(run_id)s, %(opened_at)s, %(until)s, %(used)s);

-- firing/windows.py KEEP_KEY
INSERT INTO trigger_keys (job_id, fire_key, run_id, asked, until)
VALUES (%(job_id)s, %(fire_key)s, %(run_id)s, %(asked)s, %(until)s)
 ON DUPLICATE KEY UPDATE run_id = %(run_id)s, asked = %(asked)s, until = %(until)s;

-- firing_store.py PULSE
SELECT TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)),
       (SELECT c.next_at FROM cursors c WHERE c.next_at >= %(low)s ORDER BY c.next_at, c.job_id LIMIT 1),
       CASE WHEN EXISTS (SELECT 1 FROM runs r WHERE r.waits = 1 AND r.not_before <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6))) THEN 1 ELSE 0 END,
       (SELECT 1 FROM runs r WHERE r.parked_job > -1 ORDER BY r.parked_job LIMIT 1),
       (SELECT 1 FROM runs r WHERE r.waits = 2 AND r.not_before <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) ORDER BY r.not_before LIMIT 1),
       m.epoch, m.clock_suspect, m.lane_seq, l.holder_session, l.term, l.until, m.clock_ahead_us,
       CASE WHEN m.clock_suspect = 1 THEN m.last_good_time END,
       (SELECT h.holder_session FROM leases h WHERE h.name = 'heir' AND h.until > TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6))),
       (SELECT 1 FROM failovers f WHERE f.ended_at IS NULL ORDER BY f.ended_at, f.id LIMIT 1),
       (SELECT 1 FROM nodes n WHERE n.state IN ('live', 'draining') AND n.until < TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) + %(soon)s LIMIT 1),
       m.maintenance_until,
       (SELECT 1 FROM runs r WHERE r.assigned_to > '' AND r.state = 'PENDING' ORDER BY r.assigned_to LIMIT 1),
       (SELECT k.wake_at FROM limit_keys k WHERE k.wake_at > 0 ORDER BY k.wake_at LIMIT 1)
FROM store_meta m JOIN leases l ON l.name = 'leader'
WHERE m.id = 1;

-- firing_store.py TAKE
SELECT job_id, version, state, next_at, next_due_at, cursor_ver, remaining, skip_from, skip_reason, skip_why, trouble, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), (
  SELECT c.next_at FROM cursors c WHERE c.next_at > CASE WHEN %(until)s < TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) THEN %(until)s ELSE TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) END
  ORDER BY c.next_at, c.job_id LIMIT 1) AS later
FROM cursors WHERE next_at <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AND next_at >= %(low)s AND next_at <= %(until)s AND (SELECT m.maintenance_until FROM store_meta m WHERE m.id = 1) <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6))
ORDER BY next_at, job_id LIMIT %(limit)s FOR UPDATE SKIP LOCKED;

-- firing_store.py TAKE_OVERDUE
WITH overdue AS  (
  SELECT c.job_id FROM cursors c WHERE c.next_at <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - %(overdue)s AND c.next_at <= %(until)s
  ORDER BY c.next_at, c.job_id LIMIT %(limit)s
)
SELECT job_id, version, state, next_at, next_due_at, cursor_ver, remaining, skip_from, skip_reason, skip_why, trouble, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), NULL AS later
FROM cursors WHERE job_id IN (SELECT o.job_id FROM overdue o) AND next_at + 0 <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AND next_at + 0 <= %(until)s
  AND (SELECT m.maintenance_until FROM store_meta m WHERE m.id = 1) <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6))
ORDER BY job_id FOR UPDATE;

-- job_store.py KNOWN
SELECT j.id, j.version, v.hash, j.source, j.source_module
FROM jobs j JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
WHERE j.namespace = %(namespace)s AND length(j.namespace) = length(%(namespace)s) AND j.name = %(name)s AND length(j.name) = length(%(name)s) AND j.deleted_at = 0;

-- job_store.py LANE
SELECT l.document FROM job_versions v JOIN lanes l ON l.id = v.lane_id
WHERE v.job_id = %(job_id)s AND v.version = %(version)s;

-- job_store.py DOCUMENT
SELECT definition FROM job_versions WHERE job_id = %(job_id)s AND version = %(version)s;

-- job_store.py INSERT_JOB
INSERT INTO jobs (namespace, name, deleted_at, version, source, created_at, updated_at, from_end,
                      source_module, source_group)
SELECT %(namespace)s, %(name)s, 0, 1, %(source)s, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), %(from_end)s, %(module)s, %(group_name)s WHERE true
ON DUPLICATE KEY UPDATE jobs.namespace = jobs.namespace;

-- job_store.py JOB_ID
SELECT id FROM jobs WHERE namespace = %(namespace)s AND length(namespace) = length(%(namespace)s) AND name = %(name)s AND length(name) = length(%(name)s) AND deleted_at = 0 AND version = 1;

-- job_store.py NEW_VERSION
UPDATE jobs SET version = %(version)s, moving = %(version)s, source = %(source)s, updated_at = %(now)s, from_end = %(from_end)s,
       source_module = CASE WHEN %(of_code)s = 1 THEN coalesce(%(module)s, source_module) END,
       source_group = CASE WHEN %(of_code)s = 1 THEN %(group_name)s END,
       undeclared_at = CASE WHEN %(of_code)s = 1 THEN undeclared_at END,
       retirement = CASE WHEN %(of_code)s = 1 THEN retirement END
WHERE id = %(job_id)s AND version = %(seen)s AND deleted_at = 0;

-- job_store.py OF_CODE
UPDATE jobs SET source = 'code', source_module = coalesce(%(module)s, source_module), source_group = %(group_name)s
WHERE id = %(job_id)s AND version = %(version)s AND deleted_at = 0;

-- job_store.py PRESENT
SELECT j.name FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN jobs j ON j.namespace = %(namespace)s AND j.name = d.name AND j.deleted_at = 0;

-- job_store.py OF_CODE_COUNT
SELECT count(*) FROM (SELECT 1 AS one FROM jobs WHERE namespace = %(namespace)s AND length(namespace) = length(%(namespace)s) AND deleted_at = 0 AND source = 'code' LIMIT %(limit)s) q;

-- job_store.py NOTE_PAUSE
UPDATE jobs SET pause_reason = %(reason)s, paused_by = %(by)s, paused_at = %(at)s, updated_at = %(now)s, retirement = CASE WHEN undeclared_at IS NOT NULL THEN 2 END, renamed_to = NULL WHERE id = %(job_id)s AND deleted_at = 0;

-- job_store.py NOTE_PAUSE_AGAIN
UPDATE jobs SET pause_reason = %(reason)s, paused_by = %(by)s, updated_at = %(now)s, retirement = CASE WHEN undeclared_at IS NOT NULL THEN 2 END, renamed_to = NULL WHERE id = %(job_id)s AND deleted_at = 0;

-- job_store.py DELETE
UPDATE jobs SET deleted_at = %(now)s, updated_at = %(now)s, moving = version WHERE id = %(job_id)s AND deleted_at = 0;

-- jobs/calendars.py NEWEST
SELECT c.name, c.version, c.document, c.created_at, c.created_by, c.reason FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (label LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN calendars c ON c.name = d.label AND c.latest = 1;

-- jobs/calendars.py PINNED
SELECT c.name, c.version, c.document, c.created_at, c.created_by, c.reason FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (label LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, version BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN calendars c ON c.name = d.label AND c.version = d.version;

-- jobs/calendars.py ALL
SELECT c.name, c.version, c.document, c.created_at, c.created_by, c.reason FROM calendars c WHERE c.latest = 1 ORDER BY c.name LIMIT 5000;

-- jobs/calendars.py LAST
SELECT max(version) FROM calendars WHERE name = %(name)s AND length(name) = length(%(name)s);

-- jobs/calendars.py INSERT
INSERT INTO calendars (name, version, document, created_at, created_by, reason, latest) VALUES (%(name)s, %(version)s, %(document)s, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), %(by)s, %(reason)s, 1) ON DUPLICATE KEY UPDATE calendars.name = calendars.name;

-- jobs/calendars.py AGE
UPDATE calendars SET latest = 0 WHERE name = %(name)s AND length(name) = length(%(name)s) AND latest = 1 AND version <> %(version)s;

-- jobs/calendars.py USERS
SELECT j.namespace, j.name, u.version FROM calendar_uses u JOIN jobs j ON j.id = u.job_id AND j.deleted_at = 0 WHERE u.name = %(name)s AND length(u.name) = length(%(name)s) ORDER BY j.namespace, j.name LIMIT %(rows)s;

-- jobs/calendars.py OUTDATED
SELECT j.id, j.namespace, j.name, j.version, j.source, v.definition, u.name AS calendar, u.version AS pinned
FROM calendars c JOIN calendar_uses u ON u.name = c.name AND u.version < c.version
JOIN jobs j ON j.id = u.job_id AND j.deleted_at = 0
JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
WHERE c.latest = 1 AND (u.name > %(calendar)s OR (u.name = %(calendar)s AND (u.version > %(pinned)s
      OR (u.version = %(pinned)s AND u.job_id > %(job_id)s)))) AND (EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = %(term)s) OR %(term)s IS NULL)
ORDER BY u.name, u.version, u.job_id LIMIT %(rows)s;

-- jobs/calendars.py FORGET_USES
DELETE FROM calendar_uses WHERE job_id = %(job_id)s;

-- jobs/calendars.py KEEP_USES
INSERT INTO calendar_uses (job_id, name, version) SELECT %(job_id)s, d.label, d.version FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (label LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, version BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d;

-- jobs/change.py LOCK
SELECT job_id, version, state, next_at, next_due_at, cursor_ver, remaining, skip_from, skip_reason,
       skip_why
FROM cursors WHERE job_id = %(job_id)s FOR UPDATE;

-- jobs/declaration.py KNOWN
SELECT d.nth, j.id, j.version, v.hash, j.source, j.source_module
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (nth BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, namespace LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN jobs j ON j.namespace = d.namespace AND j.name = d.name AND j.deleted_at = 0
JOIN job_versions v ON v.job_id = j.id AND v.version = j.version;

-- jobs/declaration.py DECLARERS
SELECT DISTINCT d.nth, cj.module
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (nth BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, namespace LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, session LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN code_jobs cj ON cj.namespace = d.namespace AND cj.name = d.name
JOIN nodes n ON n.code = cj.code
WHERE n.state IN ('live', 'draining') AND n.kind = 'worker' AND n.id <> d.session;

-- jobs/declaration.py INSERT_JOBS
INSERT INTO jobs (namespace, name, deleted_at, version, source, created_at, updated_at, from_end,
                      source_module, source_group)
SELECT d.namespace, d.name, 0, 1, 'code', TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), d.from_end, d.module, d.group_name FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (namespace LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, from_end BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, module LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, group_name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4]' NULL ON EMPTY ERROR ON ERROR)) AS d WHERE true
ON DUPLICATE KEY UPDATE jobs.namespace = jobs.namespace;

-- jobs/declaration.py IDS
SELECT d.nth, j.id
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (nth BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, namespace LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN jobs j ON j.namespace = d.namespace AND j.name = d.name AND j.deleted_at = 0 AND j.version = 1;

-- jobs/declaration.py INSERT_VERSIONS
INSERT INTO job_versions (job_id, version, hash, definition, lane_id, merge_lane_id, created_at, created_by, reason)
SELECT d.job_id, 1, d.hash, d.definition, d.lane_id, d.merge_lane_id, %(now)s, %(by)s, %(reason)s FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, hash LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, definition LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, lane_id BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, merge_lane_id BIGINT PATH '$[4]' NULL ON EMPTY ERROR ON ERROR)) AS d;

-- jobs/declaration.py INSERT_CURSORS
INSERT INTO cursors (job_id, version, state, next_at, next_due_at, cursor_ver, remaining)
SELECT d.job_id, 1, d.state, d.next_at, d.next_due_at, 1, d.remaining FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, state LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, next_at BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, next_due_at BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, remaining BIGINT PATH '$[4]' NULL ON EMPTY ERROR ON ERROR)) AS d;

-- jobs/declaration.py ADOPT
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, version BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, module LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, group_name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN jobs FORCE INDEX (PRIMARY) SET jobs.source = 'code', jobs.source_module = d.module, jobs.source_group = d.group_name WHERE jobs.id = d.job_id AND jobs.version = d.version AND jobs.deleted_at = 0;

-- jobs/definitions.py VERSIONS
SELECT v.job_id, v.version, j.namespace, j.name, v.definition, v.lane_id, v.merge_lane_id
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, version BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d
JOIN job_versions v ON v.job_id = d.job_id AND v.version = d.version
JOIN jobs j ON j.id = v.job_id;

-- jobs/definitions.py LANES_BY_HASH
SELECT lanes.hash, lanes.id FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (hash LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN lanes ON lanes.hash = d.hash;

-- jobs/definitions.py DRAW_LANES
UPDATE store_meta SET lane_seq = lane_seq + %(n)s WHERE id = 1;

-- jobs/definitions.py LANES_DRAWN
SELECT lane_seq FROM store_meta WHERE id = 1;

-- jobs/definitions.py INSERT_LANES
INSERT INTO lanes (id, hash, document) SELECT d.id, d.hash, d.document FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, hash LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, document LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR)) AS d;

-- jobs/definitions.py LANES_AFTER
SELECT id, document FROM lanes WHERE id > %(after)s ORDER BY id;

-- jobs/held_time.py HELD
SELECT fire_key, from_at, to_at, version FROM skips WHERE job_id = %(job_id)s AND held = 1 ORDER BY to_at DESC LIMIT %(rows)s;

-- jobs/held_time.py TAKE_BACK
DELETE FROM skips WHERE job_id = %(job_id)s AND held = 1 AND fire_key IN (SELECT d.fire_key FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (fire_key LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d);

-- jobs/held_time.py SHORTEN
UPDATE skips SET fire_key = %(key)s, from_at = %(from_at)s, count = %(count)s WHERE job_id = %(job_id)s AND held = 1 AND fire_key = %(was)s;

-- jobs/job_alerts.py FORGET
DELETE job_alerts FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN job_alerts ON job_alerts.job_id = d.job_id WHERE true;

-- jobs/job_alerts.py KEEP
INSERT INTO job_alerts (job_id, version, document, late_us, slower_us, saved_at)
SELECT d.job_id, d.version, d.document, d.late_us, d.slower_us, %(now)s FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, version BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, document LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, late_us BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, slower_us BIGINT PATH '$[4]' NULL ON EMPTY ERROR ON ERROR)) AS d;

-- jobs/job_alerts.py MISSED
SELECT l.last_id, m.id, m.version, m.definition
FROM (SELECT coalesce(max(id), 0) AS last_id FROM jobs) l LEFT JOIN (
  SELECT j.id, j.version, v.definition
  FROM jobs j JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
  LEFT JOIN job_alerts a ON a.job_id = j.id
  WHERE j.id > %(after)s AND j.id <= %(until)s AND j.deleted_at = 0 AND v.definition LIKE '%%"alert":%%'
        AND (a.job_id IS NULL OR a.version <> j.version)
) m ON m.id <= l.last_id;

-- jobs/line_order.py STEP_OUT
UPDATE runs SET place = NULL, parked = 1, ver = ver + 1
WHERE line_job = %(job_id)s AND state IN ('PENDING', 'RUNNING') AND shard = -1 AND place IS NOT NULL
      AND state = 'PENDING' AND attempt = 0 AND parent_id IS NULL AND fire_key >= 'm:' AND fire_key < 'm;'
      AND not_before > TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6));

-- jobs/line_order.py NOT_BEGUN
SELECT r.id, r.ver, r.place, r.open_children FROM runs r
WHERE r.line_job = %(job_id)s AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place IS NOT NULL
      AND r.attempt = 0 AND r.parent_id IS NULL AND r.lease_id IS NULL
ORDER BY r.id FOR UPDATE;

-- jobs/line_order.py PARTS
SELECT r.id, r.ver, r.parent_id, r.attempt, r.state FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs r ON r.parent_id = d.id WHERE true
ORDER BY r.id FOR UPDATE;

-- jobs/line_order.py LINE_UP
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, ver BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, place BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, parked BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, follow BIGINT PATH '$[4]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs FORCE INDEX (PRIMARY) SET runs.place = d.place, runs.serial = %(serial)s, runs.parked = d.parked, runs.follow = runs.follow | d.follow, runs.ver = runs.ver + 1 WHERE runs.id = d.id AND runs.ver = d.ver;

-- jobs/removal.py FOR_LATER
SELECT r.id, r.ver, r.id FROM runs r FORCE INDEX (runs_later)
WHERE r.waits = 2 AND r.job_id = %(job_id)s AND r.shard = -1 AND r.id > %(after)s
ORDER BY r.id LIMIT %(limit)s;

-- jobs/removal.py IN_LINE
SELECT r.id, r.ver, r.place FROM runs r
WHERE r.line_job = %(job_id)s AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1
      AND r.place > %(after)s AND r.state = 'PENDING' AND r.parent_id IS NULL
ORDER BY r.place, r.id LIMIT %(limit)s;

-- jobs/removal.py SHARDS
SELECT r.id, r.ver, r.id FROM runs r
WHERE r.parent_id IN (
        SELECT p.id FROM runs p
        WHERE p.line_job = %(job_id)s AND p.state IN ('PENDING', 'RUNNING') AND p.shard = -1 AND p.open_children > 0
              AND NOT EXISTS (SELECT 1 FROM runs c WHERE c.parent_id = p.id AND c.attempt > 0))
      AND r.shard >= 0 AND r.id > %(after)s AND r.state = 'PENDING'
ORDER BY r.id LIMIT %(limit)s;

-- jobs/removal.py CLEARED
UPDATE jobs SET moving = NULL WHERE id = %(job_id)s AND deleted_at > 0;

-- jobs/reschedule.py STANDING
   SELECT c.job_id, c.version, c.state, c.next_at, c.next_due_at, c.remaining, j.namespace, j.name
   FROM cursors c JOIN jobs j ON j.id = c.job_id AND j.deleted_at = 0
WHERE c.job_id > %(after)s AND j.namespace = %(namespace)s AND length(j.namespace) = length(%(namespace)s) ORDER BY c.job_id LIMIT %(limit)s;

-- jobs/reschedule.py FARTHEST
   SELECT c.job_id, c.version, c.state, c.next_at, c.next_due_at, c.remaining, j.namespace, j.name
   FROM cursors c JOIN jobs j ON j.id = c.job_id AND j.deleted_at = 0
WHERE c.next_at > TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AND c.state = 'active' ORDER BY c.next_at DESC, c.job_id DESC LIMIT %(limit)s;

-- jobs/reschedule.py SKIPPED_EARLY
SELECT coalesce(sum(count), 0) FROM skips WHERE job_id = %(job_id)s AND to_at >= %(first)s AND from_at >= %(first)s;

-- jobs/reschedule.py TAKE_BACK
DELETE FROM skips WHERE job_id = %(job_id)s AND to_at >= %(first)s AND from_at >= %(first)s;

-- jobs/reschedule.py SPANNING
SELECT id, from_at, count AS instants, version FROM skips WHERE job_id = %(job_id)s AND to_at >= %(first)s AND from_at < %(first)s ORDER BY to_at LIMIT %(rows)s;

-- jobs/reschedule.py SHORTEN
UPDATE skips SET to_at = %(to_at)s, count = %(count)s WHERE id = %(id)s AND to_at > %(to_at)s;

-- jobs/reschedule.py MADE_EARLY
SELECT count(*) FROM runs
WHERE job_id = %(job_id)s AND fire_key >= %(low)s AND fire_key < %(high)s AND shard = -1 AND due_at > %(now)s
      AND triggered_by IS NULL;

-- jobs/reschedule.py RUNS_EARLY
SELECT r.id, r.ver FROM runs r
WHERE r.line_job = %(job_id)s AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place IS NOT NULL
      AND r.state = 'PENDING' AND r.parent_id IS NULL AND r.attempt = 0
      AND r.due_at >= %(first)s AND r.not_before > %(now)s AND r.fire_key >= %(low)s AND r.fire_key < %(high)s
ORDER BY r.place, r.id LIMIT %(limit)s;

-- jobs/reschedule.py PARENTS_EARLY
SELECT p.id, p.open_children FROM runs p
WHERE p.line_job = %(job_id)s AND p.state IN ('PENDING', 'RUNNING') AND p.shard = -1 AND p.open_children > 0
      AND p.due_at >= %(first)s AND p.not_before > %(now)s AND p.fire_key >= %(low)s AND p.fire_key < %(high)s
      AND NOT EXISTS (SELECT 1 FROM runs c WHERE c.parent_id = p.id AND c.attempt > 0)
ORDER BY p.place, p.id LIMIT %(limit)s;

-- jobs/reschedule.py PARTS
SELECT r.id, r.ver, r.parent_id, r.state FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs r ON r.parent_id = d.id WHERE true ORDER BY r.id;

-- jobs/reschedule.py FREE_INSTANT
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, fire_key LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs FORCE INDEX (PRIMARY) SET runs.fire_key = d.fire_key, runs.ver = runs.ver + 1 WHERE runs.id = d.id AND runs.state NOT IN ('PENDING', 'RUNNING');

-- jobs/reschedule.py RETRIES_EARLY
SELECT r.id FROM runs r
WHERE r.line_job = %(job_id)s AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place IS NOT NULL
      AND r.state = 'PENDING' AND r.attempt > 0 AND r.not_before > %(soon)s
ORDER BY r.place, r.id LIMIT %(limit)s;

-- jobs/reschedule.py RETRY_NOW
UPDATE runs SET not_before = %(now)s, ver = ver + 1 WHERE id = %(id)s AND state = 'PENDING' AND not_before > %(soon)s;

-- jobs/retirement.py WITH_JOBS
SELECT d.module FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (module LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d WHERE EXISTS (SELECT 1 FROM jobs j WHERE j.source_module = d.module);

-- jobs/retirement.py OF_SOURCE
SELECT j.id FROM jobs j WHERE j.source_module = %(module)s AND j.id > %(after)s ORDER BY j.source_module, j.id LIMIT %(rows)s;

-- jobs/retirement.py UNDECLARED
SELECT j.id FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN jobs j FORCE INDEX (PRIMARY) ON j.id = d.job_id WHERE true AND j.deleted_at = 0 AND j.source = 'code' AND j.undeclared_at IS NULL
  AND (%(namespace)s = '' OR j.namespace = %(namespace)s) AND (%(group_name)s = '' OR j.source_group = %(group_name)s)
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
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN jobs FORCE INDEX (PRIMARY) SET jobs.undeclared_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) WHERE jobs.id = d.job_id AND jobs.undeclared_at IS NULL;

-- jobs/retirement.py MARKED
SELECT j.id FROM jobs j
WHERE j.source_module = %(module)s AND j.id > %(after)s AND j.undeclared_at > 0 AND j.retirement IS NULL
ORDER BY j.source_module, j.id LIMIT %(rows)s;

-- jobs/retirement.py ORPHANED
SELECT j.id, j.namespace, j.name, j.source_module, j.undeclared_at, j.created_at FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN jobs j FORCE INDEX (PRIMARY) ON j.id = d.job_id WHERE true AND j.deleted_at = 0 AND j.source = 'code'
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
WHERE j.source_module = %(module)s AND j.namespace = %(namespace)s AND length(j.namespace) = length(%(namespace)s) AND j.deleted_at = 0 AND j.undeclared_at IS NULL
  AND j.created_at > %(after)s ORDER BY j.id DESC LIMIT %(rows)s;

-- jobs/retirement.py RETIRE
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, retirement BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, reason LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, paused_at BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, renamed_to LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN jobs FORCE INDEX (PRIMARY) SET jobs.retirement = d.retirement, jobs.pause_reason = coalesce(d.reason, jobs.pause_reason), jobs.paused_at = coalesce(d.paused_at, jobs.paused_at), jobs.renamed_to = d.renamed_to WHERE jobs.id = d.job_id AND jobs.undeclared_at > 0 AND jobs.retirement IS NULL;

-- jobs/retirement.py MARKED_OF_CODE
SELECT j.id, j.retirement FROM jobs j
JOIN code_jobs cj ON cj.namespace = j.namespace AND cj.name = j.name AND cj.code = %(code)s
JOIN codes c ON c.hash = cj.code
WHERE j.undeclared_at > 0 AND j.deleted_at = 0 AND (c.group_name IS NULL OR c.group_name = j.source_group) ORDER BY j.undeclared_at, j.id LIMIT %(rows)s;

-- jobs/retirement.py MARKED_OF_LIVE
SELECT j.id, j.retirement FROM jobs j
WHERE j.undeclared_at > 0 AND j.deleted_at = 0 AND
EXISTS (SELECT 1 FROM code_jobs cj JOIN codes c ON c.hash = cj.code JOIN nodes n ON n.code = cj.code
        WHERE cj.namespace = j.namespace AND cj.name = j.name AND (c.group_name IS NULL OR c.group_name = j.source_group) AND n.state IN ('live', 'draining') AND n.kind = 'worker') ORDER BY j.undeclared_at, j.id LIMIT %(rows)s;

-- jobs/retirement.py UNMARK
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN jobs FORCE INDEX (PRIMARY) SET jobs.undeclared_at = NULL, jobs.retirement = NULL WHERE jobs.id = d.job_id AND coalesce(jobs.retirement, 0) <> 1;

-- jobs/retirement.py RETIRED_NOW
SELECT j.id, j.namespace, j.name, j.source_module, j.undeclared_at FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN jobs j FORCE INDEX (PRIMARY) ON j.id = d.job_id WHERE true AND j.deleted_at = 0 AND j.retirement = 1;

-- jobs/retirement.py REVIVE
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN jobs FORCE INDEX (PRIMARY) SET jobs.undeclared_at = NULL, jobs.retirement = NULL, jobs.renamed_to = NULL, jobs.pause_reason = NULL, jobs.paused_by = NULL, jobs.paused_at = NULL WHERE jobs.id = d.job_id;

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
ORDER BY c.hash LIMIT %(rows)s;

-- jobs/strays.py ASK
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (hash LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN codes SET codes.ver = codes.ver + 1, codes.whole = 2 WHERE codes.hash = d.hash AND codes.whole = 1;

-- jobs/suggestions.py NAMES_NEAR
SELECT name FROM (SELECT name FROM jobs WHERE namespace = %(namespace)s AND length(namespace) = length(%(namespace)s) AND deleted_at = 0 AND name >= %(name)s
                  ORDER BY  name LIMIT %(limit)s) after_it
UNION ALL
SELECT name FROM (SELECT name FROM jobs WHERE namespace = %(namespace)s AND length(namespace) = length(%(namespace)s) AND deleted_at = 0 AND name < %(name)s
                  ORDER BY  name DESC LIMIT %(limit)s) before_it;

-- jobs/trial.py INSERT_JOB
INSERT INTO jobs (namespace, name, deleted_at, version, source, created_at, updated_at, from_end)
SELECT %(namespace)s, %(name)s, %(deleted_at)s, 1, %(source)s, %(now)s, %(now)s, 0 WHERE true
ON DUPLICATE KEY UPDATE jobs.namespace = jobs.namespace;

-- jobs/trial.py LAST_DELETED
SELECT coalesce(max(deleted_at), 0) FROM jobs WHERE namespace = %(namespace)s AND length(namespace) = length(%(namespace)s) AND name = %(name)s AND length(name) = length(%(name)s);

-- jobs/trial.py JOB_ID
SELECT id FROM jobs WHERE namespace = %(namespace)s AND length(namespace) = length(%(namespace)s) AND name = %(name)s AND length(name) = length(%(name)s) AND deleted_at = %(deleted_at)s;

-- jobs/trial.py RUN_ID
SELECT id FROM runs WHERE job_id = %(job_id)s AND fire_key = %(fire_key)s AND shard = -1;

-- jobs/version_move.py FOR_LATER.look
   SELECT
   r.id, r.ver, r.version, r.place, r.fire_key, r.triggered_by, r.priority, r.serial, r.parked, r.follow,
   r.lane, r.not_before, r.open_children, CASE WHEN (r.follow & 4) > 0 AND EXISTS (
     SELECT 1 FROM runs s WHERE s.parent_id = r.parent_id AND s.attempt > 0) THEN 1 ELSE 0 END
FROM runs r FORCE INDEX (runs_later)
   WHERE r.waits = 2 AND r.job_id = %(job_id)s AND r.shard = -1 AND r.id > %(after)s AND r.attempt = 0
         AND r.version < %(version)s
   ORDER BY r.id LIMIT %(limit)s;

-- jobs/version_move.py FOR_LATER.take
   SELECT
   r.id, r.ver, r.version, r.place, r.fire_key, r.triggered_by, r.priority, r.serial, r.parked, r.follow,
   r.lane, r.not_before, r.open_children, CASE WHEN (r.follow & 4) > 0 AND EXISTS (
     SELECT 1 FROM runs s WHERE s.parent_id = r.parent_id AND s.attempt > 0) THEN 1 ELSE 0 END
FROM runs r FORCE INDEX (runs_later)
   WHERE r.waits = 2 AND r.job_id = %(job_id)s AND r.shard = -1 AND r.id > %(after)s AND r.attempt = 0
         AND r.version < %(version)s
   ORDER BY r.id LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED;

-- jobs/version_move.py IN_LINE.look
   SELECT
   r.id, r.ver, r.version, r.place, r.fire_key, r.triggered_by, r.priority, r.serial, r.parked, r.follow,
   r.lane, r.not_before, r.open_children, CASE WHEN (r.follow & 4) > 0 AND EXISTS (
     SELECT 1 FROM runs s WHERE s.parent_id = r.parent_id AND s.attempt > 0) THEN 1 ELSE 0 END
FROM runs r
   WHERE r.line_job = %(job_id)s AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1
         AND r.place > %(after)s AND r.state = 'PENDING' AND r.attempt = 0 AND r.version < %(version)s
   ORDER BY r.place, r.id LIMIT %(limit)s;

-- jobs/version_move.py IN_LINE.take
   SELECT
   r.id, r.ver, r.version, r.place, r.fire_key, r.triggered_by, r.priority, r.serial, r.parked, r.follow,
   r.lane, r.not_before, r.open_children, CASE WHEN (r.follow & 4) > 0 AND EXISTS (
     SELECT 1 FROM runs s WHERE s.parent_id = r.parent_id AND s.attempt > 0) THEN 1 ELSE 0 END
FROM runs r
   WHERE r.line_job = %(job_id)s AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1
         AND r.place > %(after)s AND r.state = 'PENDING' AND r.attempt = 0 AND r.version < %(version)s
   ORDER BY r.place, r.id LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED;

-- jobs/version_move.py PARENTS.look
   SELECT
   r.id, r.ver, r.version, r.place, r.fire_key, r.triggered_by, r.priority, r.serial, r.parked, r.follow,
   r.lane, r.not_before, r.open_children, CASE WHEN (r.follow & 4) > 0 AND EXISTS (
     SELECT 1 FROM runs s WHERE s.parent_id = r.parent_id AND s.attempt > 0) THEN 1 ELSE 0 END
FROM runs r
   WHERE r.line_job = %(job_id)s AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place > %(after)s
         AND r.state = 'RUNNING' AND r.parent_id IS NULL AND r.open_children > 0 AND r.attempt = 0
         AND r.version < %(version)s AND NOT EXISTS (SELECT 1 FROM runs b WHERE b.parent_id = r.id AND b.attempt > 0)
   ORDER BY r.place, r.id LIMIT %(limit)s;

-- jobs/version_move.py PARENTS.take
   SELECT
   r.id, r.ver, r.version, r.place, r.fire_key, r.triggered_by, r.priority, r.serial, r.parked, r.follow,
   r.lane, r.not_before, r.open_children, CASE WHEN (r.follow & 4) > 0 AND EXISTS (
     SELECT 1 FROM runs s WHERE s.parent_id = r.parent_id AND s.attempt > 0) THEN 1 ELSE 0 END
FROM runs r
   WHERE r.line_job = %(job_id)s AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place > %(after)s
         AND r.state = 'RUNNING' AND r.parent_id IS NULL AND r.open_children > 0 AND r.attempt = 0
         AND r.version < %(version)s AND NOT EXISTS (SELECT 1 FROM runs b WHERE b.parent_id = r.id AND b.attempt > 0)
   ORDER BY r.place, r.id LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED;

-- jobs/version_move.py PARTS
    SELECT
    r.id, r.ver, r.version, r.place, r.fire_key, r.triggered_by, r.priority, r.serial, r.parked, r.follow,
    r.lane, r.not_before, r.open_children, CASE WHEN (r.follow & 4) > 0 AND EXISTS (
      SELECT 1 FROM runs s WHERE s.parent_id = r.parent_id AND s.attempt > 0) THEN 1 ELSE 0 END
, r.parent_id, r.attempt, r.state FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs r ON r.parent_id = d.id WHERE true
    ORDER BY r.id FOR UPDATE;

-- jobs/version_move.py SHARDS.look
   SELECT
   r.id, r.ver, r.version, r.place, r.fire_key, r.triggered_by, r.priority, r.serial, r.parked, r.follow,
   r.lane, r.not_before, r.open_children, CASE WHEN (r.follow & 4) > 0 AND EXISTS (
     SELECT 1 FROM runs s WHERE s.parent_id = r.parent_id AND s.attempt > 0) THEN 1 ELSE 0 END
FROM runs r
   WHERE r.parent_id IN (SELECT p.id FROM runs p WHERE p.line_job = %(job_id)s AND p.state IN ('PENDING', 'RUNNING')
                               AND p.shard = -1 AND (p.version = %(version)s OR EXISTS (SELECT 1 FROM runs b WHERE b.parent_id = p.id AND b.attempt > 0)))
         AND r.shard >= 0 AND r.id > %(after)s AND r.state = 'PENDING' AND r.attempt = 0 AND r.version < %(version)s
   ORDER BY r.id LIMIT %(limit)s;

-- jobs/version_move.py SHARDS.take
   SELECT
   r.id, r.ver, r.version, r.place, r.fire_key, r.triggered_by, r.priority, r.serial, r.parked, r.follow,
   r.lane, r.not_before, r.open_children, CASE WHEN (r.follow & 4) > 0 AND EXISTS (
     SELECT 1 FROM runs s WHERE s.parent_id = r.parent_id AND s.attempt > 0) THEN 1 ELSE 0 END
FROM runs r
   WHERE r.parent_id IN (SELECT p.id FROM runs p WHERE p.line_job = %(job_id)s AND p.state IN ('PENDING', 'RUNNING')
                               AND p.shard = -1 AND (p.version = %(version)s OR EXISTS (SELECT 1 FROM runs b WHERE b.parent_id = p.id AND b.attempt > 0)))
         AND r.shard >= 0 AND r.id > %(after)s AND r.state = 'PENDING' AND r.attempt = 0 AND r.version < %(version)s
   ORDER BY r.id LIMIT %(limit)s
    FOR UPDATE SKIP LOCKED;

-- jobs/version_move.py TAKE_VERSION
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, ver BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, lane BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, priority BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, serial BIGINT PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, parked BIGINT PATH '$[5]' NULL ON EMPTY ERROR ON ERROR, follow BIGINT PATH '$[6]' NULL ON EMPTY ERROR ON ERROR, not_before BIGINT PATH '$[7]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs FORCE INDEX (PRIMARY) SET runs.version = %(version)s, runs.lane = d.lane, runs.priority = d.priority, runs.serial = d.serial, runs.parked = d.parked, runs.follow = d.follow, runs.not_before = d.not_before, runs.ver = runs.ver + 1, runs.assigned_to = NULL, runs.assigned_before = NULL WHERE runs.id = d.id AND runs.ver = d.ver AND runs.attempt = 0;

-- jobs/version_move.py CURRENT
SELECT moving FROM jobs WHERE id = %(job_id)s AND moving IS NOT NULL AND deleted_at = 0;

-- jobs/version_move.py MOVED
UPDATE jobs SET moving = NULL WHERE id = %(job_id)s AND moving = %(version)s AND deleted_at = 0;

-- jobs/version_move.py UNFINISHED
SELECT moving, id, deleted_at FROM jobs WHERE moving >= %(moving)s AND (moving > %(moving)s OR id > %(after)s)
  AND (EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = %(term)s) OR %(term)s IS NULL)
ORDER BY moving, id LIMIT %(limit)s;

-- jobs/written.py INSERT_VERSION
INSERT INTO job_versions (job_id, version, hash, definition, lane_id, merge_lane_id, created_at, created_by, reason)
VALUES (%(job_id)s, %(version)s, %(hash)s, %(definition)s, %(lane_id)s, %(merge_lane_id)s, %(now)s, %(by)s, %(reason)s);

-- jobs/written.py INSERT_CURSOR
INSERT INTO cursors (job_id, version, state, next_at, next_due_at, cursor_ver, remaining)
VALUES (%(job_id)s, 1, %(state)s, %(next_at)s, %(next_due_at)s, 1, %(remaining)s);

-- kernel/database.py _NOW
SELECT TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6));

-- kernel/epoch.py FINGERPRINT
SELECT @foliot_fingerprint, @foliot_lossy;

-- kernel/epoch.py REMEMBERED
SELECT epoch, fingerprint, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) FROM store_meta WHERE id = 1;

-- kernel/epoch.py RAISE
UPDATE store_meta SET epoch = %(epoch)s, fingerprint = %(fingerprint)s
WHERE id = 1 AND epoch = %(seen)s AND fingerprint = %(known)s;

-- kernel/replica.py FRESH
SELECT m.epoch, m.last_tick_at, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AS now,
       (SELECT max(n.last_beat_at) FROM nodes n WHERE n.state = 'live' AND n.kind = 'server') AS beat_at
FROM store_meta m WHERE m.id = 1;

-- kernel/schema.py _LOCK
SELECT GET_LOCK(CONCAT('foliot.', DATABASE()), 60);

-- kernel/schema.py _UNLOCK
SELECT RELEASE_LOCK(CONCAT('foliot.', DATABASE()));

-- kernel/schema.py _NAMES
SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() AND NOT (table_collation = 'utf8mb4_bin' AND lower(create_options) LIKE '%%row_format=dynamic%%');

-- kernel/schema.py _READABLE_FROM
SELECT readable_from FROM store_meta WHERE id = 1;

-- leasing/assigned.py QUEUES
WITH RECURSIVE walk (session, lane) AS (
  SELECT s.id, (SELECT min(r.lane) FROM runs r WHERE r.state = 'PENDING' AND r.parked = 2 AND r.assigned_to = s.id) FROM JSON_TABLE(%(s)s, '$[*]' COLUMNS (id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS s
  UNION ALL
  SELECT w.session, (SELECT min(r.lane) FROM runs r
                     WHERE r.state = 'PENDING' AND r.parked = 2 AND r.assigned_to = w.session AND r.lane > w.lane)
  FROM walk w WHERE w.lane IS NOT NULL
)
SELECT walk.session, walk.lane, (SELECT r.assigned_rank FROM runs r
                                 WHERE r.state = 'PENDING' AND r.parked = 2 AND r.assigned_to = walk.session AND r.lane = walk.lane
                                 ORDER BY r.assigned_rank DESC LIMIT 1)
FROM walk WHERE walk.lane IS NOT NULL;

-- leasing/assigned.py LOOK.each
    SELECT
    r.id, r.job_id, r.version, r.ver, r.attempt, r.deaths, r.lane, r.class, r.priority, r.not_before, r.shard, r.follow,
    r.due_at, r.assigned_to, r.assigned_until, r.params, r.checkpoint, r.reason
, CASE WHEN
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.line_job = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
 THEN 1 ELSE 0 END AS replaced FROM runs r FORCE INDEX (runs_assigned)
    WHERE r.assigned_to = %(session)s AND r.lane = %(lane)s AND r.assigned_rank >= %(low)s AND r.assigned_rank < %(high)s
          AND r.state = 'PENDING' AND r.parked = 2 AND r.not_before <= %(now)s
    AND (r.serial = 0 OR (r.place IS NOT NULL AND coalesce((r.place, coalesce(r.parent_id, r.id)) <= (
      SELECT e.place, e.id FROM runs e WHERE e.line_job = r.job_id ORDER BY e.place, e.id LIMIT 1), true)))
    ORDER BY r.assigned_rank, r.id LIMIT %(n)s;

-- leasing/assigned.py TAKE.each
    SELECT
    r.id, r.job_id, r.version, r.ver, r.attempt, r.deaths, r.lane, r.class, r.priority, r.not_before, r.shard, r.follow,
    r.due_at, r.assigned_to, r.assigned_until, r.params, r.checkpoint, r.reason
, CASE WHEN
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.line_job = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
 THEN 1 ELSE 0 END AS replaced FROM runs r FORCE INDEX (runs_assigned)
    WHERE r.assigned_to = %(session)s AND r.lane = %(lane)s AND r.assigned_rank >= %(low)s AND r.assigned_rank < %(high)s
          AND r.state = 'PENDING' AND r.parked = 2 AND r.not_before <= %(now)s
    AND (r.serial = 0 OR (r.place IS NOT NULL AND coalesce((r.place, coalesce(r.parent_id, r.id)) <= (
      SELECT e.place, e.id FROM runs e WHERE e.line_job = r.job_id ORDER BY e.place, e.id LIMIT 1), true)))
    ORDER BY r.assigned_rank, r.id LIMIT %(n)s
     FOR UPDATE SKIP LOCKED;

-- leasing/assigned.py LOOK_DOUBTING.each
    SELECT
    r.id, r.job_id, r.version, r.ver, r.attempt, r.deaths, r.lane, r.class, r.priority, r.not_before, r.shard, r.follow,
    r.due_at, r.assigned_to, r.assigned_until, r.params, r.checkpoint, r.reason
, CASE WHEN
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.line_job = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
 THEN 1 ELSE 0 END AS replaced FROM runs r FORCE INDEX (runs_assigned)
    WHERE r.assigned_to = %(session)s AND r.lane = %(lane)s AND r.assigned_rank >= %(low)s AND r.assigned_rank < %(high)s
          AND r.state = 'PENDING' AND r.parked = 2 AND r.not_before <= %(now)s
    AND (r.serial = 0 OR (r.place IS NOT NULL AND coalesce((r.place, coalesce(r.parent_id, r.id)) <= (
      SELECT e.place, e.id FROM runs e WHERE e.line_job = r.job_id ORDER BY e.place, e.id LIMIT 1), true)))
    AND (r.not_before <= %(believed)s OR r.created_at > %(good)s OR (r.ver > 1 AND r.not_before >= %(landed)s))
    ORDER BY r.assigned_rank, r.id LIMIT %(n)s;

-- leasing/assigned.py TAKE_DOUBTING.each
    SELECT
    r.id, r.job_id, r.version, r.ver, r.attempt, r.deaths, r.lane, r.class, r.priority, r.not_before, r.shard, r.follow,
    r.due_at, r.assigned_to, r.assigned_until, r.params, r.checkpoint, r.reason
, CASE WHEN
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.line_job = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
 THEN 1 ELSE 0 END AS replaced FROM runs r FORCE INDEX (runs_assigned)
    WHERE r.assigned_to = %(session)s AND r.lane = %(lane)s AND r.assigned_rank >= %(low)s AND r.assigned_rank < %(high)s
          AND r.state = 'PENDING' AND r.parked = 2 AND r.not_before <= %(now)s
    AND (r.serial = 0 OR (r.place IS NOT NULL AND coalesce((r.place, coalesce(r.parent_id, r.id)) <= (
      SELECT e.place, e.id FROM runs e WHERE e.line_job = r.job_id ORDER BY e.place, e.id LIMIT 1), true)))
    AND (r.not_before <= %(believed)s OR r.created_at > %(good)s OR (r.ver > 1 AND r.not_before >= %(landed)s))
    ORDER BY r.assigned_rank, r.id LIMIT %(n)s
     FOR UPDATE SKIP LOCKED;

-- leasing/assignment.py STATES
SELECT c.job_id, c.cursor_ver, c.route_state FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN cursors c FORCE INDEX (PRIMARY) ON c.job_id = d.job_id WHERE true
ORDER BY c.job_id FOR UPDATE SKIP LOCKED;

-- leasing/assignment.py AS_SEEN
SELECT r.id, r.ver FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs r FORCE INDEX (PRIMARY) ON r.id = d.id WHERE true AND r.state = 'PENDING' AND r.parked = 0
ORDER BY r.id FOR UPDATE SKIP LOCKED;

-- leasing/assignment.py KEEP
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, seen BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, state LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN cursors FORCE INDEX (PRIMARY) SET cursors.route_state = d.state, cursors.cursor_ver = cursors.cursor_ver + 1 WHERE cursors.job_id = d.job_id AND cursors.cursor_ver = d.seen;

-- leasing/assignment.py ASSIGN
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, ver BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, session LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, until BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, rank_ BIGINT PATH '$[4]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs FORCE INDEX (PRIMARY) SET runs.parked = 2, runs.assigned_to = d.session, runs.assigned_until = d.until, runs.assigned_rank = d.rank_, runs.ver = runs.ver + 1 WHERE runs.id = d.id AND runs.ver = d.ver;

-- leasing/assignment.py MOMENT
SELECT m.maintenance_at, m.maintenance_until, m.reap_after, m.scopes_ver, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AS now FROM store_meta m
WHERE m.id = 1;

-- leasing/assignment.py LOST
SELECT walk.session FROM (
      SELECT r.assigned_to AS session FROM runs r FORCE INDEX (runs_assigned) WHERE r.assigned_to > ''
      GROUP BY r.assigned_to) walk
    LEFT JOIN nodes n ON n.id = walk.session AND n.state = 'live' AND (n.until >= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) OR %(amnesty)s = 1)
    WHERE walk.session IS NOT NULL AND walk.session <> '*' AND n.id IS NULL;

-- leasing/assignment.py OF_LOST
SELECT r.id, r.ver, r.assigned_to, r.assigned_before, r.assigned_until, r.lane FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (session LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs r ON r.assigned_to = d.session WHERE true AND r.state = 'PENDING' AND r.parked = 2
       AND r.assigned_until IS NOT NULL
ORDER BY r.id LIMIT %(limit)s FOR UPDATE SKIP LOCKED;

-- leasing/assignment.py OVERDUE
SELECT r.id, r.ver, r.assigned_to, r.assigned_before, r.assigned_until, r.lane FROM runs r FORCE INDEX (runs_assigned)
WHERE r.assigned_to > '' AND r.state = 'PENDING' AND r.parked = 2 AND r.assigned_until <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) LIMIT %(limit)s FOR UPDATE SKIP LOCKED;

-- leasing/assignment.py TAKE_BACK
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, ver BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, before_ LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs FORCE INDEX (PRIMARY) SET runs.parked = 0, runs.assigned_to = NULL, runs.assigned_until = NULL, runs.assigned_before = d.before_, runs.ver = runs.ver + 1 WHERE runs.id = d.id AND runs.ver = d.ver;

-- leasing/broadcast.py CUT
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, ver BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, shards BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs FORCE INDEX (PRIMARY) SET runs.state = 'RUNNING', runs.open_children = d.shards, runs.follow = runs.follow - (runs.follow & 2), runs.ver = runs.ver + 1 WHERE runs.id = d.id AND runs.ver = d.ver;

-- leasing/broadcast.py INSERT_SHARDS
INSERT INTO runs (job_id, version, fire_key, shard, parent_id, due_at, not_before, lane, class, priority,
                      serial, place, parked, assigned_to, session_id, assigned_rank, follow, state, ver, created_at,
                      triggered_by, reason, params)
SELECT p.job_id, p.version, p.fire_key, d.shard, p.id, p.due_at, p.not_before, p.lane, p.class, p.priority,
       p.serial, p.place, 2, d.session, d.session, p.not_before - p.priority * 60000000 + CASE WHEN p.class = 0 THEN 0 ELSE 1152921504606846976 END,
       d.follow | (p.follow & 224), 'PENDING', 1, %(now)s, p.triggered_by, p.reason, p.params
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (parent BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, shard BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, session LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, follow BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN runs p ON p.id = d.parent WHERE true
ON DUPLICATE KEY UPDATE runs.job_id = runs.job_id;

-- leasing/broadcast.py ORPHANING
SELECT walk.session, n.name, n.group_name, n.namespace, n.labels, n.handlers FROM (
      SELECT r.assigned_to AS session FROM runs r FORCE INDEX (runs_assigned) WHERE r.assigned_to > ''
      GROUP BY r.assigned_to) walk
    LEFT JOIN nodes n ON n.id = walk.session AND n.state = 'live' AND n.until >= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6))
    WHERE walk.session IS NOT NULL AND walk.session <> '*'
          AND (n.id IS NULL
               OR n.offers_at < TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - %(session_ttl)s - %(grace)s AND
    (SELECT CASE WHEN TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) >= m.reap_after AND 2 * (TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - m.last_tick_at) <= %(session_ttl)s
                 THEN 1 ELSE 0 END FROM store_meta m WHERE m.id = 1) = 1
                  AND EXISTS (SELECT 1 FROM runs r
                              WHERE r.assigned_to = walk.session AND r.state = 'PENDING' AND r.parked = 2 AND (r.follow & 256) <> 0));

-- leasing/broadcast.py OF_GONE
SELECT r.id, r.ver, r.assigned_to, n.name, n.state FROM runs r LEFT JOIN nodes n ON n.id = r.assigned_to
WHERE r.assigned_to IN (SELECT d.session FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (session LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d) AND r.state = 'PENDING' AND r.parked = 2 AND (r.follow & 256) <> 0
      AND (n.id IS NULL OR n.state <> 'live') AND EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = %(term)s)
LIMIT %(limit)s;

-- leasing/broadcast.py LANES_OF
SELECT DISTINCT r.assigned_to, r.lane FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (session LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs r ON r.assigned_to = d.session WHERE true AND r.state = 'PENDING' AND r.parked = 2 AND (r.follow & 256) <> 0;

-- leasing/broadcast.py OF_LANES
SELECT r.id, r.ver, r.assigned_to, r.lane FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (session LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, lane BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN runs r ON r.assigned_to = d.session AND r.lane = d.lane
WHERE r.state = 'PENDING' AND r.parked = 2 AND (r.follow & 256) <> 0 AND EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = %(term)s)
LIMIT %(limit)s;

-- leasing/broadcast.py COUNTS
SELECT r.id, (SELECT s.shard + 1 FROM runs s WHERE s.job_id = r.job_id AND s.fire_key = r.fire_key
              ORDER BY s.shard DESC LIMIT 1)
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs r FORCE INDEX (PRIMARY) ON r.id = d.id WHERE true;

-- leasing/candidates.py LOOK_AT_KIND
    SELECT
    r.id, r.job_id, r.version, r.ver, r.attempt, r.deaths, r.lane, r.class, r.priority, r.not_before, r.shard, r.follow,
    r.due_at, r.assigned_to, r.assigned_until, r.params, r.checkpoint, r.reason
, CASE WHEN
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.line_job = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
 THEN 1 ELSE 0 END AS replaced FROM runs r FORCE INDEX (runs_ready)
    WHERE r.ready_lane = %(lane)s AND r.class = %(class)s AND r.priority = %(priority)s AND r.not_before >= %(low)s
          AND r.state = 'PENDING' AND r.parked = 0 AND r.not_before <= %(now)s
    AND (r.serial = 0 OR (r.place IS NOT NULL AND coalesce((r.place, coalesce(r.parent_id, r.id)) <= (
      SELECT e.place, e.id FROM runs e WHERE e.line_job = r.job_id ORDER BY e.place, e.id LIMIT 1), true)))
    ORDER BY r.not_before, r.id LIMIT %(n)s;

-- leasing/candidates.py TAKE_OF_KIND
    SELECT
    r.id, r.job_id, r.version, r.ver, r.attempt, r.deaths, r.lane, r.class, r.priority, r.not_before, r.shard, r.follow,
    r.due_at, r.assigned_to, r.assigned_until, r.params, r.checkpoint, r.reason
, CASE WHEN
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.line_job = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
 THEN 1 ELSE 0 END AS replaced FROM runs r FORCE INDEX (runs_ready)
    WHERE r.ready_lane = %(lane)s AND r.class = %(class)s AND r.priority = %(priority)s AND r.not_before >= %(low)s
          AND r.state = 'PENDING' AND r.parked = 0 AND r.not_before <= %(now)s
    AND (r.serial = 0 OR (r.place IS NOT NULL AND coalesce((r.place, coalesce(r.parent_id, r.id)) <= (
      SELECT e.place, e.id FROM runs e WHERE e.line_job = r.job_id ORDER BY e.place, e.id LIMIT 1), true)))
    ORDER BY r.not_before, r.id LIMIT %(n)s
     FOR UPDATE SKIP LOCKED;

-- leasing/candidates.py LOOK_AT_KIND_DOUBTING
    SELECT
    r.id, r.job_id, r.version, r.ver, r.attempt, r.deaths, r.lane, r.class, r.priority, r.not_before, r.shard, r.follow,
    r.due_at, r.assigned_to, r.assigned_until, r.params, r.checkpoint, r.reason
, CASE WHEN
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.line_job = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
 THEN 1 ELSE 0 END AS replaced FROM runs r FORCE INDEX (runs_ready)
    WHERE r.ready_lane = %(lane)s AND r.class = %(class)s AND r.priority = %(priority)s AND r.not_before >= %(low)s
          AND r.state = 'PENDING' AND r.parked = 0 AND r.not_before <= %(now)s
    AND (r.serial = 0 OR (r.place IS NOT NULL AND coalesce((r.place, coalesce(r.parent_id, r.id)) <= (
      SELECT e.place, e.id FROM runs e WHERE e.line_job = r.job_id ORDER BY e.place, e.id LIMIT 1), true)))
    AND (r.not_before <= %(believed)s OR r.created_at > %(good)s OR (r.ver > 1 AND r.not_before >= %(landed)s))
    ORDER BY r.not_before, r.id LIMIT %(n)s;

-- leasing/candidates.py TAKE_OF_KIND_DOUBTING
    SELECT
    r.id, r.job_id, r.version, r.ver, r.attempt, r.deaths, r.lane, r.class, r.priority, r.not_before, r.shard, r.follow,
    r.due_at, r.assigned_to, r.assigned_until, r.params, r.checkpoint, r.reason
, CASE WHEN
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.line_job = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
 THEN 1 ELSE 0 END AS replaced FROM runs r FORCE INDEX (runs_ready)
    WHERE r.ready_lane = %(lane)s AND r.class = %(class)s AND r.priority = %(priority)s AND r.not_before >= %(low)s
          AND r.state = 'PENDING' AND r.parked = 0 AND r.not_before <= %(now)s
    AND (r.serial = 0 OR (r.place IS NOT NULL AND coalesce((r.place, coalesce(r.parent_id, r.id)) <= (
      SELECT e.place, e.id FROM runs e WHERE e.line_job = r.job_id ORDER BY e.place, e.id LIMIT 1), true)))
    AND (r.not_before <= %(believed)s OR r.created_at > %(good)s OR (r.ver > 1 AND r.not_before >= %(landed)s))
    ORDER BY r.not_before, r.id LIMIT %(n)s
     FOR UPDATE SKIP LOCKED;

-- leasing/fire_routes.py KEPT
SELECT c.job_id, c.route_state FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN cursors c FORCE INDEX (PRIMARY) ON c.job_id = d.job_id WHERE true;

-- leasing/fitting_workers.py WORKERS
SELECT n.id, n.name, n.slots, n.weight, n.group_name, n.namespace, n.labels, n.`load`, n.band, n.until,
       coalesce(n.offer_hash, n.id) AS text_of, m.reap_after, m.last_tick_at, m.scopes_ver, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AS now
FROM nodes n JOIN store_meta m ON m.id = 1
WHERE n.state = 'live' AND n.kind <> 'server' AND m.maintenance_until <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6));

-- leasing/fitting_workers.py HANDLERS
SELECT n.id, n.handlers FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN nodes n FORCE INDEX (PRIMARY) ON n.id = d.id WHERE true;

-- leasing/fitting_workers.py BUSY
   SELECT r.session_id, NULL, count(*) FROM runs r WHERE r.state = 'RUNNING' AND r.held_by > '' GROUP BY r.session_id
UNION ALL
   SELECT r.assigned_to, r.lane, count(*) FROM runs r FORCE INDEX (runs_assigned) WHERE r.assigned_to > ''
   GROUP BY r.assigned_to, r.lane;

-- leasing/fitting_workers.py ASSIGNED_TO
SELECT r.assigned_to, count(*) FROM runs r FORCE INDEX (runs_assigned) WHERE r.assigned_to > ''
GROUP BY r.assigned_to;

-- leasing/fitting_workers.py OWN
SELECT r.job_id, r.session_id AS session, count(*) FROM runs r
WHERE r.state = 'RUNNING' AND r.held_by > '' AND r.job_id + 0 IN (SELECT d.job_id FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d)
GROUP BY r.job_id, r.session_id
UNION ALL
SELECT r.job_id, r.assigned_to AS session, count(*) FROM runs r
WHERE r.state = 'PENDING' AND r.parked = 2 AND r.assigned_to > '*' AND r.job_id + 0 IN (SELECT d.job_id FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d)
GROUP BY r.job_id, r.assigned_to;

-- leasing/key_limits.py USED
SELECT k.name, k.used FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN limit_keys k ON k.name = d.name;

-- leasing/key_limits.py LOCK_KEYS
SELECT k.name, k.used, k.spent_until FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN limit_keys k ON k.name = d.name WHERE true
ORDER BY k.name FOR UPDATE;

-- leasing/key_limits.py MAKE_KEYS
INSERT INTO limit_keys (name, job_id, said, used, pace_us, burst, ver)
SELECT d.name, d.job_id, d.said, 0, d.pace_us, d.burst, 1 FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, job_id BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, said LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, pace_us BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, burst BIGINT PATH '$[4]' NULL ON EMPTY ERROR ON ERROR)) AS d WHERE true ON DUPLICATE KEY UPDATE limit_keys.name = limit_keys.name;

-- leasing/key_limits.py TAKE_KEYS
   UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, n BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, most BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, starts BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, pace_us BIGINT PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, burst BIGINT PATH '$[5]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN limit_keys SET limit_keys.used = limit_keys.used + d.n, limit_keys.ver = limit_keys.ver + 1, limit_keys.spent_until = CASE WHEN d.starts = 0 THEN limit_keys.spent_until ELSE
   CASE WHEN limit_keys.spent_until > %(now)s
             AND limit_keys.spent_until <= %(now)s + d.burst * d.pace_us + 10000000
        THEN limit_keys.spent_until ELSE %(now)s END
+ d.starts * d.pace_us END, limit_keys.pace_us = d.pace_us, limit_keys.burst = d.burst WHERE limit_keys.name = d.name AND limit_keys.used + d.n <= d.most
         AND (d.starts = 0 OR
   CASE WHEN limit_keys.spent_until > %(now)s
             AND limit_keys.spent_until <= %(now)s + d.burst * d.pace_us + 10000000
        THEN limit_keys.spent_until ELSE %(now)s END
+ d.starts * d.pace_us <= %(now)s + d.burst * d.pace_us);

-- leasing/key_limits.py GIVE_KEYS
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, n BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN limit_keys SET limit_keys.used = CASE WHEN limit_keys.used > d.n THEN limit_keys.used - d.n ELSE 0 END, limit_keys.ver = limit_keys.ver + 1 WHERE limit_keys.name = d.name;

-- leasing/key_limits.py PARK
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, ver BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs FORCE INDEX (PRIMARY) SET runs.parked = 3, runs.ver = runs.ver + 1, runs.assigned_to = NULL, runs.assigned_until = NULL WHERE runs.id = d.id AND runs.ver = d.ver;

-- leasing/key_limits.py FORGET
DELETE limit_runs FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN limit_runs ON limit_runs.run_id = d.id WHERE true;

-- leasing/key_limits.py NOTE
INSERT INTO limit_runs (run_id, name, waits, turn) SELECT d.id, d.name, d.waits, d.turn FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, waits BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, turn BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR)) AS d;

-- leasing/key_limits.py HELD
SELECT h.run_id, h.name FROM limit_runs h WHERE h.waits = 0 AND h.run_id IN (SELECT d.id FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d);

-- leasing/key_upkeep.py NAMES
SELECT name FROM limit_keys WHERE name > %(after)s ORDER BY name LIMIT %(limit)s;

-- leasing/key_upkeep.py LOCK_COUNTS
SELECT k.name, k.used, k.wake_at, k.pace_us, k.burst, k.ver FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN limit_keys k ON k.name = d.name WHERE true
ORDER BY k.name FOR UPDATE;

-- leasing/key_upkeep.py HOLDING
SELECT h.name, count(*) FROM limit_runs h JOIN runs r ON r.id = h.run_id
WHERE h.name IN (SELECT d.name FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d) AND h.waits = 0 AND r.state = 'RUNNING' AND (r.follow & 2048) <> 0
GROUP BY h.name;

-- leasing/key_upkeep.py ON_WORKERS
SELECT r.job_id, r.session_id, count(*) FROM runs r
WHERE r.state = 'RUNNING' AND r.held_by > '' AND r.lease_id IS NOT NULL AND (r.follow & 4096) <> 0
GROUP BY r.job_id, r.session_id;

-- leasing/key_upkeep.py CORRECT
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, ver BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, used BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN limit_keys SET limit_keys.used = d.used, limit_keys.ver = limit_keys.ver + 1 WHERE limit_keys.name = d.name AND limit_keys.ver = d.ver;

-- leasing/key_upkeep.py DROP_IDLE
DELETE limit_keys FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN limit_keys ON limit_keys.name = d.name WHERE true AND used = 0 AND coalesce(wake_at, 0) = 0
      AND (spent_until IS NULL OR spent_until < %(now)s);

-- leasing/key_waiters.py FIRST
SELECT d.name, (SELECT w.run_id FROM limit_runs w WHERE w.name = d.name AND w.waits = 1
                ORDER BY w.turn, w.run_id LIMIT 1)
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d;

-- leasing/key_waiters.py WAITERS
SELECT w.run_id FROM limit_runs w WHERE w.name = %(name)s AND length(w.name) = length(%(name)s) AND w.waits = 1 ORDER BY w.turn, w.run_id LIMIT %(n)s;

-- leasing/key_waiters.py PARKED_RUNS
SELECT r.id, r.ver FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs r FORCE INDEX (PRIMARY) ON r.id = d.id WHERE true AND r.state = 'PENDING' AND r.parked = 3
ORDER BY r.id FOR UPDATE SKIP LOCKED;

-- leasing/key_waiters.py STILL_PARKED
SELECT r.id FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs r FORCE INDEX (PRIMARY) ON r.id = d.id WHERE true AND r.state = 'PENDING' AND r.parked = 3;

-- leasing/key_waiters.py FORGET_WAITERS
DELETE w FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN limit_runs w ON w.run_id = d.id AND w.name = d.name WHERE w.waits = 1;

-- leasing/key_waiters.py SET_WAKE
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, at BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN limit_keys SET limit_keys.wake_at = d.at, limit_keys.ver = limit_keys.ver + 1 WHERE limit_keys.name = d.name;

-- leasing/key_waiters.py DUE_KEYS
SELECT k.name, k.used, k.pace_us, k.burst, k.spent_until FROM limit_keys k WHERE k.wake_at <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6))
ORDER BY k.wake_at, k.name LIMIT %(limit)s FOR UPDATE SKIP LOCKED;

-- leasing/leased_runs.py REPEATED
SELECT r.session_id, r.request_no, r.id, r.job_id, r.version, r.attempt, r.lease_id, r.fence, r.leased_at, r.shard,
       r.follow, r.due_at, r.params, r.checkpoint, r.reason
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (session LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, request_no BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN runs r ON r.held_by = d.session AND r.request_no = d.request_no AND r.state = 'RUNNING';

-- leasing/leases.py RAISE_FENCES
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, runs BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN cursors FORCE INDEX (PRIMARY) SET cursors.fence_seq = d.runs + CASE WHEN cursors.fence_seq < 1048576 THEN 1048576
                                             ELSE cursors.fence_seq END WHERE cursors.job_id = d.job_id;

-- leasing/leases.py FENCES
SELECT c.job_id, c.fence_seq FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN cursors c FORCE INDEX (PRIMARY) ON c.job_id = d.job_id WHERE true ORDER BY c.job_id;

-- leasing/leases.py LOCK_PICKED
SELECT r.id, r.ver FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs r FORCE INDEX (PRIMARY) ON r.id = d.id WHERE true AND r.state = 'PENDING'
ORDER BY r.id FOR UPDATE SKIP LOCKED;

-- leasing/leases.py LEASE
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, ver BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, lease_id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, session LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, request_no BIGINT PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, fence BIGINT PATH '$[5]' NULL ON EMPTY ERROR ON ERROR, deadline_at BIGINT PATH '$[6]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs FORCE INDEX (PRIMARY) SET runs.state = 'RUNNING', runs.ver = runs.ver + 1, runs.attempt = runs.attempt + 1, runs.lease_id = d.lease_id, runs.session_id = d.session, runs.request_no = d.request_no, runs.fence = d.fence, runs.leased_at = %(now)s, runs.deadline_at = d.deadline_at WHERE runs.id = d.id AND runs.ver = d.ver;

-- leasing/leases.py LEASE_ASSIGNED
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, ver BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, lease_id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, session LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, request_no BIGINT PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, fence BIGINT PATH '$[5]' NULL ON EMPTY ERROR ON ERROR, deadline_at BIGINT PATH '$[6]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs FORCE INDEX (PRIMARY) SET runs.state = 'RUNNING', runs.ver = runs.ver + 1, runs.attempt = runs.attempt + 1, runs.lease_id = d.lease_id, runs.session_id = d.session, runs.request_no = d.request_no, runs.fence = d.fence, runs.leased_at = %(now)s, runs.deadline_at = d.deadline_at, runs.parked = 0, runs.assigned_to = NULL, runs.assigned_until = NULL WHERE runs.id = d.id AND runs.ver = d.ver;

-- leasing/leases.py LEASE_COUNTED
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, ver BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, lease_id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, session LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, request_no BIGINT PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, fence BIGINT PATH '$[5]' NULL ON EMPTY ERROR ON ERROR, deadline_at BIGINT PATH '$[6]' NULL ON EMPTY ERROR ON ERROR, counted BIGINT PATH '$[7]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs FORCE INDEX (PRIMARY) SET runs.state = 'RUNNING', runs.ver = runs.ver + 1, runs.attempt = runs.attempt + 1, runs.lease_id = d.lease_id, runs.session_id = d.session, runs.request_no = d.request_no, runs.fence = d.fence, runs.leased_at = %(now)s, runs.deadline_at = d.deadline_at, runs.parked = 0, runs.assigned_to = NULL, runs.assigned_until = NULL, runs.follow = runs.follow | d.counted WHERE runs.id = d.id AND runs.ver = d.ver;

-- leasing/leases.py LANE_JOBS
SELECT v.job_id, max(v.version) FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (lane BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN job_versions v ON v.lane_id = d.lane WHERE true OR v.merge_lane_id IN (SELECT d.lane FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (lane BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d)
GROUP BY v.job_id;

-- leasing/limits.py ROOM
SELECT
    l.name, l.max, l.used, l.claim_lane, l.claim_rank, l.claim_until, l.pace_us, l.burst, l.spent_until
 FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN limits l ON l.name = d.name;

-- leasing/limits.py LOCK
   SELECT
   l.name, l.max, l.used, l.claim_lane, l.claim_rank, l.claim_until, l.pace_us, l.burst, l.spent_until
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN limits l FORCE INDEX (PRIMARY) ON l.name = d.name WHERE true
   ORDER BY l.name FOR UPDATE;

-- leasing/limits.py TAKE
   UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, n BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, starts BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN limits FORCE INDEX (PRIMARY) SET limits.used = limits.used + d.n, limits.ver = limits.ver + 1, limits.spent_until = CASE WHEN limits.pace_us IS NULL THEN limits.spent_until
                             ELSE
   CASE WHEN limits.spent_until > %(now)s
             AND limits.spent_until <= %(now)s + limits.burst * limits.pace_us + 10000000
        THEN limits.spent_until ELSE %(now)s END
+ d.starts * limits.pace_us END WHERE limits.name = d.name AND limits.used + d.n <= limits.max
         AND (limits.pace_us IS NULL
              OR
   CASE WHEN limits.spent_until > %(now)s
             AND limits.spent_until <= %(now)s + limits.burst * limits.pace_us + 10000000
        THEN limits.spent_until ELSE %(now)s END
+ d.starts * limits.pace_us <= %(now)s + limits.burst * limits.pace_us);

-- leasing/limits.py CLAIM
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, lane BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, rank BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, until BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN limits FORCE INDEX (PRIMARY) SET limits.claim_lane = d.lane, limits.claim_rank = d.rank, limits.claim_until = d.until WHERE limits.name = d.name AND (limits.claim_until IS NULL OR limits.claim_until <= %(now)s
                                OR limits.claim_lane = d.lane OR limits.claim_rank > d.rank);

-- leasing/limits.py UNCLAIM
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, lane BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN limits FORCE INDEX (PRIMARY) SET limits.claim_lane = NULL, limits.claim_rank = NULL, limits.claim_until = NULL WHERE limits.name = d.name AND limits.claim_lane = d.lane;

-- leasing/limits.py GIVE
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, n BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN limits FORCE INDEX (PRIMARY) SET limits.used = CASE WHEN limits.used > d.n THEN limits.used - d.n ELSE 0 END, limits.ver = limits.ver + 1 WHERE limits.name = d.name;

-- leasing/limits.py MAKE
INSERT INTO limits (name, max, used, ver, namespace)
SELECT d.name, d.max, 0, 1, d.namespace FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, max BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, namespace LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR)) AS d WHERE true ON DUPLICATE KEY UPDATE limits.name = limits.name;

-- leasing/limits.py SET_MAX
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, max BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN limits FORCE INDEX (PRIMARY) SET limits.max = d.max, limits.ver = limits.ver + 1 WHERE limits.name = d.name AND limits.max <> d.max;

-- leasing/limits.py SET_RATE
UPDATE limits SET rate = %(rate)s, rate_per_us = %(per_us)s, pace_us = %(pace_us)s, burst = %(burst)s, ver = ver + 1
WHERE name = %(name)s AND length(name) = length(%(name)s);

-- leasing/limits.py MAXIMA
SELECT l.name, l.max FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN limits l FORCE INDEX (PRIMARY) ON l.name = d.name WHERE true ORDER BY l.name FOR UPDATE;

-- leasing/limits.py SHARED
SELECT limits.name FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN limits ON limits.name = d.name;

-- leasing/limits.py NAMES
SELECT name FROM limits WHERE name > %(after)s ORDER BY name LIMIT %(limit)s;

-- leasing/limits.py LOCK_COUNTS
SELECT l.name, l.used, l.ver FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN limits l FORCE INDEX (PRIMARY) ON l.name = d.name WHERE true
ORDER BY l.name FOR UPDATE;

-- leasing/limits.py RUNNING
SELECT r.lane, r.follow & 7682, count(*) FROM runs r WHERE r.state = 'RUNNING' AND r.held_by > ''
       AND r.lease_id IS NOT NULL AND r.lane IN (SELECT d.lane FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (lane BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d)
GROUP BY r.lane, r.follow & 7682;

-- leasing/limits.py CORRECT
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, ver BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, used BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN limits FORCE INDEX (PRIMARY) SET limits.used = d.used, limits.ver = limits.ver + 1 WHERE limits.name = d.name AND limits.ver = d.ver;

-- leasing/merge_input.py PARENTS
SELECT r.id, r.parent_id FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs r FORCE INDEX (PRIMARY) ON r.id = d.id WHERE true;

-- leasing/merge_input.py SIZES
SELECT r.parent_id, sum(coalesce(length(r.result), 4) + 1) FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs r ON r.parent_id = d.id WHERE true AND r.shard >= 0 GROUP BY r.parent_id;

-- leasing/merge_input.py RESULTS
SELECT r.parent_id, r.result FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs r ON r.parent_id = d.id WHERE true AND r.shard >= 0 ORDER BY r.parent_id, r.shard;

-- leasing/run_kinds.py ASKING
   SELECT s.id, n.state, CASE WHEN n.until >= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) THEN 1 ELSE 0 END, m.epoch, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), n.offer_hash, n.band,
          n.until, m.reap_after, m.last_tick_at, m.maintenance_until, m.scopes_ver
FROM store_meta m CROSS JOIN JSON_TABLE(%(s)s, '$[*]' COLUMNS (id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS s LEFT JOIN nodes n ON n.id = s.id WHERE m.id = 1;

-- leasing/run_kinds.py PRESENT_NEXT
SELECT r.ready_lane, r.class, r.priority FROM runs r
WHERE r.ready_lane > %(lane)s OR (r.ready_lane = %(lane)s AND r.class > %(class)s)
      OR (r.ready_lane = %(lane)s AND r.class = %(class)s AND r.priority > %(priority)s)
ORDER BY r.ready_lane, r.class, r.priority LIMIT 1;

-- leasing/scopes.py SCOPES
SELECT name FROM limits WHERE (name > 'grp:' AND name < 'grp;') OR (name > 'ns:' AND name < 'ns;');

-- leasing/scopes.py CHANGED
UPDATE store_meta SET scopes_ver = scopes_ver + 1 WHERE id = 1;

-- leasing/scopes.py UNCOUNTED
SELECT r.id, r.lease_id, d.bit FROM runs r JOIN JSON_TABLE(%(d)s, '$[*]' COLUMNS (lane BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, bit BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d ON d.lane = r.lane
WHERE r.state = 'RUNNING' AND r.held_by > '' AND r.lease_id IS NOT NULL AND (r.follow & d.bit) = 0;

-- leasing/scopes.py LOCK
SELECT r.id FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs r FORCE INDEX (PRIMARY) ON r.id = d.id WHERE true ORDER BY r.id FOR UPDATE;

-- leasing/scopes.py COUNT_IN
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, lease_id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, bits BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs FORCE INDEX (PRIMARY) SET runs.follow = runs.follow | d.bits, runs.ver = runs.ver + 1 WHERE runs.id = d.id AND runs.lease_id = d.lease_id;

-- leasing/unassigned.py UNASSIGNED.each
   SELECT
   r.id, r.ver, r.job_id, r.version, r.fire_key, r.shard, r.attempt, r.lane, r.class, r.priority, r.not_before,
   r.params, r.assigned_before, r.follow, r.session_id
FROM runs r FORCE INDEX (runs_ready)
   WHERE r.ready_lane = %(lane)s AND r.class = %(class)s AND r.priority = %(priority)s AND r.state = 'PENDING' AND r.parked = 0 AND r.not_before <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6))
   ORDER BY r.not_before, r.id LIMIT %(n)s;

-- leasing/unassigned.py UNASSIGNED_DOUBTING.each
   SELECT
   r.id, r.ver, r.job_id, r.version, r.fire_key, r.shard, r.attempt, r.lane, r.class, r.priority, r.not_before,
   r.params, r.assigned_before, r.follow, r.session_id
FROM runs r FORCE INDEX (runs_ready)
   WHERE r.ready_lane = %(lane)s AND r.class = %(class)s AND r.priority = %(priority)s AND r.state = 'PENDING' AND r.parked = 0 AND r.not_before <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6))
   AND (r.not_before <= %(believed)s OR r.created_at > %(good)s OR (r.ver > 1 AND r.not_before >= %(landed)s))
   ORDER BY r.not_before, r.id LIMIT %(n)s;

-- leasing/unassigned.py WAITING
SELECT l.lane, (SELECT 1 FROM runs r FORCE INDEX (runs_ready) WHERE r.ready_lane = l.lane LIMIT 1) FROM JSON_TABLE(%(l)s, '$[*]' COLUMNS (lane BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS l;

-- leasing/unreadable.py PUT_OFF
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, ver BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs FORCE INDEX (PRIMARY) SET runs.not_before = %(not_before)s, runs.ver = runs.ver + 1 WHERE runs.id = d.id AND runs.ver = d.ver;

-- locking/decisions.py DRAW
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN locks FORCE INDEX (PRIMARY) SET locks.token = locks.token + 1, locks.used_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) WHERE locks.id = d.id;

-- locking/decisions.py IN_ORDER
SELECT l.id FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN locks l FORCE INDEX (PRIMARY) ON l.id = d.id WHERE true ORDER BY l.id FOR UPDATE;

-- locking/decisions.py MAKE
INSERT INTO locks (namespace, name, token, used_at)
SELECT d.namespace, d.name, coalesce((SELECT f.token FROM locks f WHERE f.namespace = '' AND f.name = ''), 0), TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6))
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (namespace LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d WHERE true ON DUPLICATE KEY UPDATE locks.namespace = locks.namespace;

-- locking/decisions.py RAISE
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, drawn BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN locks FORCE INDEX (PRIMARY) SET locks.token = d.drawn WHERE locks.id = d.id;

-- locking/decisions.py CLAIMS
   SELECT
   l.id AS of_lock, l.token AS drawn, l.used_at AS drawn_at,
   (SELECT CASE WHEN m.clock_suspect = 1 OR m.reap_after > TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) THEN 1 ELSE 0 END FROM store_meta m WHERE m.id = 1)
AS doubt,
   (SELECT m.epoch FROM store_meta m WHERE m.id = 1) AS epoch, c.id, c.lock_id, c.place, c.most, c.owner, c.until,
   c.token, c.broken, c.asked_at, c.line, c.session_id
FROM locks l LEFT JOIN lock_claims c ON c.lock_id = l.id WHERE l.id IN (SELECT d.id FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d);

-- locking/decisions.py GRANT
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, drawn BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN lock_claims FORCE INDEX (PRIMARY) SET lock_claims.token = d.drawn, lock_claims.granted_at = %(now)s, lock_claims.until = %(now)s + lock_claims.ttl_us WHERE lock_claims.id = d.id AND lock_claims.token IS NULL AND lock_claims.broken IS NULL;

-- locking/decisions.py EXPIRE
DELETE lock_claims FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN lock_claims FORCE INDEX (PRIMARY) ON lock_claims.id = d.id WHERE true AND until <= %(now)s;

-- locking/decisions.py DROP
DELETE lock_claims FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN lock_claims FORCE INDEX (PRIMARY) ON lock_claims.id = d.id WHERE true;

-- locking/reads.py LOOK
SELECT c.id, c.token, c.broken, c.ttl_us FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN lock_claims c FORCE INDEX (PRIMARY) ON c.id = d.id WHERE true;

-- locking/reads.py WAITS
SELECT c.id, c.lock_id, c.place, c.most, c.owner, c.until, c.token, c.broken, c.asked_at, c.made_by, c.run_id,
       l.namespace, l.name, j.name AS job
FROM lock_claims c JOIN locks l ON l.id = c.lock_id
     LEFT JOIN runs r ON r.id = c.run_id LEFT JOIN jobs j ON j.id = r.job_id
WHERE c.lock_id IN (SELECT w.lock_id FROM lock_claims w WHERE w.token IS NULL)
ORDER BY c.lock_id, c.place LIMIT %(limit)s;

-- locking/reads.py PAGE
   SELECT l.id, l.namespace, l.name, l.token FROM locks l
   WHERE (l.namespace > %(after_namespace)s OR l.namespace = %(after_namespace)s AND l.name > %(after_name)s)
     AND EXISTS (SELECT 1 FROM lock_claims c WHERE c.lock_id = l.id)
ORDER BY l.namespace, l.name LIMIT %(limit)s;

-- locking/reads.py PAGE_IN
   SELECT l.id, l.namespace, l.name, l.token FROM locks l
   WHERE (l.namespace > %(after_namespace)s OR l.namespace = %(after_namespace)s AND l.name > %(after_name)s)
     AND EXISTS (SELECT 1 FROM lock_claims c WHERE c.lock_id = l.id)
AND l.namespace = %(namespace)s AND length(l.namespace) = length(%(namespace)s) ORDER BY l.namespace, l.name LIMIT %(limit)s;

-- locking/reads.py ONE
SELECT l.id, l.namespace, l.name, l.token FROM locks l WHERE l.namespace = %(namespace)s AND length(l.namespace) = length(%(namespace)s) AND l.name = %(name)s AND length(l.name) = length(%(name)s);

-- locking/reads.py SHOWN
SELECT c.id, c.lock_id, c.most, c.token, c.made_by, c.line, c.run_id, j.name AS job, n.name AS node, c.asked_at,
       c.granted_at, c.until
FROM lock_claims c LEFT JOIN runs r ON r.id = c.run_id LEFT JOIN jobs j ON j.id = r.job_id
     LEFT JOIN nodes n ON n.id = c.session_id
WHERE c.lock_id IN (SELECT d.id FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d) ORDER BY c.lock_id, c.place;

-- locking/reads.py AWAITED
SELECT l.id, l.namespace, l.name, l.token FROM locks l
WHERE l.id IN (SELECT c.lock_id FROM lock_claims c
               WHERE c.session_id = (SELECT r.session_id FROM runs r WHERE r.id = %(run_id)s)
                 AND c.run_id = %(run_id)s AND c.token IS NULL AND c.broken IS NULL)
ORDER BY l.name;

-- locking/reads.py ORDERS
SELECT DISTINCT a.name AS first, b.name AS after, w.run_id, j.name AS job, w.made_by
FROM lock_claims w JOIN lock_claims h ON h.session_id = w.session_id
          AND h.owner = w.owner AND h.lock_id <> w.lock_id
     JOIN locks a ON a.id = h.lock_id JOIN locks b ON b.id = w.lock_id
     LEFT JOIN runs r ON r.id = w.run_id LEFT JOIN jobs j ON j.id = r.job_id
WHERE w.token IS NULL AND w.broken IS NULL AND h.token IS NOT NULL
  AND (a.namespace = %(namespace)s AND a.name = %(name)s AND length(a.name) = length(%(name)s) OR b.namespace = %(namespace)s AND b.name = %(name)s AND length(b.name) = length(%(name)s))
ORDER BY a.name, b.name, w.run_id LIMIT %(limit)s;

-- locking/steps.py HOMES
SELECT d.lease_id, j.namespace FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (run_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, lease_id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, session LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN runs r ON r.id = d.run_id JOIN jobs j ON j.id = r.job_id
WHERE r.lease_id = d.lease_id AND r.session_id = d.session;

-- locking/steps.py WHERE
SELECT c.id, l.namespace, l.name FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN lock_claims c ON c.id = d.id JOIN locks l ON l.id = c.lock_id;

-- locking/steps.py FIND
SELECT l.namespace, l.name FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (namespace LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN locks l ON l.namespace = d.namespace AND l.name = d.name;

-- locking/steps.py TAKE
SELECT l.namespace, l.name FROM locks l
WHERE (l.namespace, l.name) IN (SELECT d.namespace, d.name FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (namespace LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d) ORDER BY l.id FOR UPDATE;

-- locking/steps.py TAKE_FREE
SELECT l.namespace, l.name FROM locks l
WHERE (l.namespace, l.name) IN (SELECT d.namespace, d.name FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (namespace LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d) ORDER BY l.id FOR UPDATE SKIP LOCKED;

-- locking/steps.py DRAW_NAMED
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (namespace LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, numbers BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN locks SET locks.token = locks.token + d.numbers, locks.used_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) WHERE locks.namespace = d.namespace AND locks.name = d.name;

-- locking/steps.py CLAIMS_NAMED
   SELECT 0 AS asked_for, l.namespace, l.name,
   l.id AS of_lock, l.token AS drawn, l.used_at AS drawn_at,
   (SELECT CASE WHEN m.clock_suspect = 1 OR m.reap_after > TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) THEN 1 ELSE 0 END FROM store_meta m WHERE m.id = 1)
AS doubt,
   (SELECT m.epoch FROM store_meta m WHERE m.id = 1) AS epoch, c.id, c.lock_id, c.place, c.most, c.owner, c.until,
   c.token, c.broken, c.asked_at, c.line, c.session_id
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (namespace LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN locks l ON l.namespace = d.namespace AND l.name = d.name LEFT JOIN lock_claims c ON c.lock_id = l.id
   UNION ALL
   SELECT count(*), '', x.line, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM lock_claims x
   WHERE x.session_id IS NULL AND x.line IN (SELECT p.line FROM JSON_TABLE(%(p)s, '$[*]' COLUMNS (line LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS p) GROUP BY x.line
   UNION ALL
   SELECT count(*), y.session_id, '', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM JSON_TABLE(%(w)s, '$[*]' COLUMNS (session LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS w STRAIGHT_JOIN lock_claims y ON y.session_id = w.session WHERE true GROUP BY y.session_id;

-- locking/steps.py CLAIM
INSERT INTO lock_claims (id, lock_id, place, most, owner, until, token, ttl_us, asked_at, granted_at,
                             session_id, run_id, lease_id, line, made_by)
SELECT d.id, d.lock_id, d.place, d.most, d.owner, d.until, d.token, d.ttl_us, d.asked_at, d.granted_at,
       d.session_id, d.run_id, d.lease_id, d.line, d.made_by
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, lock_id BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, place BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, most BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, owner LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, until BIGINT PATH '$[5]' NULL ON EMPTY ERROR ON ERROR, token BIGINT PATH '$[6]' NULL ON EMPTY ERROR ON ERROR, ttl_us BIGINT PATH '$[7]' NULL ON EMPTY ERROR ON ERROR, asked_at BIGINT PATH '$[8]' NULL ON EMPTY ERROR ON ERROR, granted_at BIGINT PATH '$[9]' NULL ON EMPTY ERROR ON ERROR, session_id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[10]' NULL ON EMPTY ERROR ON ERROR, run_id BIGINT PATH '$[11]' NULL ON EMPTY ERROR ON ERROR, lease_id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[12]' NULL ON EMPTY ERROR ON ERROR, line LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[13]' NULL ON EMPTY ERROR ON ERROR, made_by LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[14]' NULL ON EMPTY ERROR ON ERROR)) AS d WHERE true ON DUPLICATE KEY UPDATE lock_claims.id = lock_claims.id;

-- locking/steps.py UNTIL
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, wanted_until BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, wanted_ttl_us BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN lock_claims FORCE INDEX (PRIMARY) SET lock_claims.until = CASE WHEN lock_claims.until > d.wanted_until THEN lock_claims.until ELSE d.wanted_until END, lock_claims.ttl_us = CASE WHEN lock_claims.ttl_us > d.wanted_ttl_us THEN lock_claims.ttl_us ELSE d.wanted_ttl_us END WHERE lock_claims.id = d.id AND lock_claims.until > %(over)s;

-- locking/store.py RENEW
   UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN lock_claims FORCE INDEX (PRIMARY) SET lock_claims.until = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) + lock_claims.ttl_us WHERE lock_claims.id = d.id AND lock_claims.token IS NOT NULL AND (lock_claims.until > TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) OR
   (SELECT CASE WHEN m.clock_suspect = 1 OR m.reap_after > TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) THEN 1 ELSE 0 END FROM store_meta m WHERE m.id = 1)
= 1) AND lock_claims.line = %(line)s AND coalesce(lock_claims.session_id, '') = %(session)s;

-- locking/store.py HELD
   SELECT lock_claims.id FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN lock_claims FORCE INDEX (PRIMARY) ON lock_claims.id = d.id WHERE true AND lock_claims.token IS NOT NULL AND (lock_claims.until > TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) OR
   (SELECT CASE WHEN m.clock_suspect = 1 OR m.reap_after > TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) THEN 1 ELSE 0 END FROM store_meta m WHERE m.id = 1)
= 1) AND lock_claims.line = %(line)s AND coalesce(lock_claims.session_id, '') = %(session)s;

-- locking/store.py UNDER_TOKEN
SELECT c.id, c.lock_id FROM locks l JOIN lock_claims c ON c.lock_id = l.id
WHERE l.namespace = %(namespace)s AND length(l.namespace) = length(%(namespace)s) AND l.name = %(name)s AND length(l.name) = length(%(name)s) AND c.token = %(token)s;

-- locking/store.py BREAK
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, cycle LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN lock_claims FORCE INDEX (PRIMARY) SET lock_claims.broken = d.cycle WHERE lock_claims.id = d.id;

-- locking/store.py ENDED
   SELECT c.id, c.lock_id, CASE WHEN c.token IS NOT NULL AND c.until > TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) + c.ttl_us THEN 1 ELSE 0 END AS far,
          CASE WHEN r.id IS NULL AND c.run_id IS NOT NULL OR c.run_id IS NOT NULL AND r.lease_id IS NULL
                    OR r.lease_id <> c.lease_id OR c.session_id IS NOT NULL AND n.id IS NULL OR n.state = 'dead'
               THEN 2
               WHEN c.until <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AND
   (SELECT CASE WHEN m.clock_suspect = 1 OR m.reap_after > TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) THEN 1 ELSE 0 END FROM store_meta m WHERE m.id = 1)
= 0 THEN 1 ELSE 0 END AS fate
   FROM lock_claims c LEFT JOIN runs r ON r.id = c.run_id LEFT JOIN nodes n ON n.id = c.session_id
   WHERE c.token IS NULL OR c.until <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AND
   (SELECT CASE WHEN m.clock_suspect = 1 OR m.reap_after > TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) THEN 1 ELSE 0 END FROM store_meta m WHERE m.id = 1)
= 0 OR CASE WHEN c.token IS NOT NULL AND c.until > TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) + c.ttl_us THEN 1 ELSE 0 END = 1
      OR r.id IS NULL AND c.run_id IS NOT NULL OR c.run_id IS NOT NULL AND r.lease_id IS NULL
      OR r.lease_id <> c.lease_id OR c.session_id IS NOT NULL AND n.id IS NULL OR n.state = 'dead'
   ORDER BY fate DESC, c.lock_id LIMIT %(limit)s;

-- locking/store.py CLAMP
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN lock_claims FORCE INDEX (PRIMARY) SET lock_claims.until = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) + lock_claims.ttl_us WHERE lock_claims.id = d.id AND lock_claims.token IS NOT NULL AND lock_claims.until > TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) + lock_claims.ttl_us;

-- locking/store.py IDLE
SELECT l.id, l.token FROM locks l
WHERE l.used_at < %(before)s AND l.name <> '' AND NOT EXISTS (SELECT 1 FROM lock_claims c WHERE c.lock_id = l.id)
ORDER BY l.used_at LIMIT %(limit)s;

-- locking/store.py KEEP_HIGHEST
UPDATE locks SET token = %(token)s, used_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) WHERE namespace = '' AND name = '' AND token < %(token)s;

-- locking/store.py FORGET
DELETE locks FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN locks FORCE INDEX (PRIMARY) ON locks.id = d.id WHERE true AND used_at < %(before)s;

-- node_store.py REGISTER
INSERT INTO nodes (id, name, kind, state, until, started_at, last_beat_at, beat_no, settled, group_name, slots,
                       version, protocol, host, pid, labels, handlers, namespace, owner, offer_bytes,
                       offer_hash, code, kinds, begun_at, asked_at, address, drills, role, weight)
SELECT d.id, d.name, d.kind, 'live', TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) + %(ttl)s, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), 0, 0, d.group_name, d.slots,
       d.version, d.protocol, d.host, d.pid, d.labels, d.handlers, d.namespace, d.owner, d.offer_bytes,
       d.offer_hash, d.code, d.kinds, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - d.up_us, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) - d.asked_us_ago, d.address, d.drills, d.role,
       d.weight
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, kind LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, group_name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, slots BIGINT PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, version LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[5]' NULL ON EMPTY ERROR ON ERROR, protocol BIGINT PATH '$[6]' NULL ON EMPTY ERROR ON ERROR, host LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[7]' NULL ON EMPTY ERROR ON ERROR, pid BIGINT PATH '$[8]' NULL ON EMPTY ERROR ON ERROR, labels LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[9]' NULL ON EMPTY ERROR ON ERROR, handlers LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[10]' NULL ON EMPTY ERROR ON ERROR, namespace LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[11]' NULL ON EMPTY ERROR ON ERROR, owner LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[12]' NULL ON EMPTY ERROR ON ERROR, offer_bytes BIGINT PATH '$[13]' NULL ON EMPTY ERROR ON ERROR, offer_hash LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[14]' NULL ON EMPTY ERROR ON ERROR, code LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[15]' NULL ON EMPTY ERROR ON ERROR, kinds LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[16]' NULL ON EMPTY ERROR ON ERROR, up_us BIGINT PATH '$[17]' NULL ON EMPTY ERROR ON ERROR, asked_us_ago BIGINT PATH '$[18]' NULL ON EMPTY ERROR ON ERROR, address LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[19]' NULL ON EMPTY ERROR ON ERROR, drills LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[20]' NULL ON EMPTY ERROR ON ERROR, role LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[21]' NULL ON EMPTY ERROR ON ERROR, weight BIGINT PATH '$[22]' NULL ON EMPTY ERROR ON ERROR)) AS d WHERE true
ON DUPLICATE KEY UPDATE nodes.id = nodes.id;

-- node_store.py REGISTER_AGAIN
UPDATE nodes SET offers_at = CASE WHEN offer_hash = %(offer_hash)s AND labels = %(labels)s THEN offers_at ELSE TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) END,
                 until = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) + %(ttl)s, slots = %(slots)s, version = %(version)s, labels = %(labels)s, handlers = %(handlers)s,
                 offer_bytes = %(offer_bytes)s, offer_hash = %(offer_hash)s, code = %(code)s, kinds = %(kinds)s,
                 weight = %(weight)s
WHERE id = %(session)s AND kind = %(kind)s AND state <> 'dead'
      AND coalesce(owner, '') = %(owner)s;

-- node_store.py WHOSE
SELECT kind, owner FROM nodes WHERE id = %(session)s;

-- node_store.py LIVE
SELECT count(*) FROM nodes WHERE state IN ('live', 'draining');

-- node_store.py LIVE_OF
SELECT count(*) FROM nodes WHERE state IN ('live', 'draining') AND kind = 'worker' AND owner = %(owner)s;

-- node_store.py OFFERED_BY
SELECT offer_hash, max(offer_bytes) AS bytes, sum(CASE WHEN id = %(session)s THEN 0 ELSE 1 END) AS others FROM nodes
WHERE state IN ('live', 'draining') AND kind = 'worker' AND owner = %(owner)s AND offer_bytes > %(few)s
GROUP BY offer_hash;

-- node_store.py IS_OFFERED_BY
SELECT 1 FROM nodes
WHERE state IN ('live', 'draining') AND kind = 'worker' AND owner = %(owner)s AND offer_hash = %(offer_hash)s
LIMIT 1;

-- node_store.py ADOPT
UPDATE nodes SET owner = %(owner)s WHERE id = %(session)s AND kind = 'worker' AND owner IS NULL;

-- node_store.py HELLO
SELECT id, name, group_name, slots, handlers, labels, version, protocol, pid, host, namespace, owner, offer_hash,
       weight
FROM nodes
WHERE id = %(session)s AND kind = 'worker' AND state <> 'dead';

-- node_store.py ADDRESSES
SELECT DISTINCT address FROM nodes
WHERE state = 'live' AND until >= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AND kind = 'server' AND address IS NOT NULL
      AND coalesce(role, 'active') = 'active'
ORDER BY address LIMIT 32;

-- node_store.py UNDRAIN
UPDATE nodes SET state = 'live', drained_by = NULL, draining_at = NULL WHERE id = %(session)s AND state = 'draining' AND drained_by IS NOT NULL;

-- node_store.py LEFT
SELECT r.id, r.lease_id, r.request_no, r.started_at, n.progress
FROM nodes n JOIN runs r ON r.held_by = n.id AND r.state = 'RUNNING'
WHERE n.id = %(session)s ORDER BY r.id LIMIT %(limit)s;

-- node_store.py LEAVE
UPDATE nodes SET state = 'dead', ended_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), settled = %(settled)s WHERE id = %(session)s AND state <> 'dead';

-- people/cluster_reads.py NODES
SELECT n.id, n.name, n.kind, n.state, n.until, n.started_at, n.last_beat_at, n.ended_at, n.group_name, n.slots,
       n.version, n.host, n.pid, n.wall_offset_us, n.labels, n.`load`, n.drained_by, n.namespace, listed.text_of,
       n.protocol, n.address, n.band, n.band_at, n.begun_at, n.asked_at, n.ready_at, n.draining_at, n.drills,
       n.role, n.role_at, n.weight, n.band_cause,
       speaker.handlers, stated.stated, coalesce(held.runs, 0) AS running
FROM (
  SELECT n.id, coalesce(n.offer_hash, n.id) AS text_of, row_number() OVER (PARTITION BY coalesce(n.offer_hash, n.id) ORDER BY n.id) AS nth
  FROM (SELECT id, offer_hash FROM nodes WHERE state <> 'dead' OR ended_at >= %(since)s
        ORDER BY kind, name, started_at LIMIT 5000) n
) listed
JOIN nodes n ON n.id = listed.id
LEFT JOIN nodes speaker ON speaker.id = listed.id AND listed.nth = 1
LEFT JOIN worker_kinds stated ON stated.hash = speaker.kinds
LEFT JOIN (SELECT r.session_id, count(*) AS runs FROM runs r
           WHERE r.state = 'RUNNING' AND r.held_by > '' GROUP BY r.session_id) held ON held.session_id = n.id
ORDER BY n.kind, n.name, n.started_at;

-- people/cluster_reads.py CLUSTER
SELECT TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AS now, m.epoch, m.clock_suspect, m.clock_ahead_us, l.holder_session, l.term, l.until, n.name,
       maintenance_until, maintenance_at, maintenance_by, maintenance_reason,
       (SELECT count(*) FROM (SELECT 1 AS one FROM runs WHERE state = 'PENDING' AND parked = 0 AND waits = 1 LIMIT 10001) q) AS queue,
       (SELECT min(q.not_before) FROM (SELECT not_before FROM runs WHERE state = 'PENDING' AND parked = 0 AND waits = 1
                                       LIMIT 10001) q) AS oldest_ready_at,
       (SELECT count(*) FROM (SELECT 1 AS one FROM runs WHERE state = 'PENDING' AND parked = 2 AND assigned_to > '' LIMIT 10001) q) AS assigned,
       (SELECT min(q.not_before) FROM (SELECT not_before FROM runs WHERE state = 'PENDING' AND parked = 2 AND assigned_to > ''
                                       LIMIT 10001) q) AS oldest_assigned_at,
       (SELECT count(*) FROM (SELECT 1 AS one FROM runs WHERE state = 'RUNNING' AND held_by >= ''
                              LIMIT 10001) q) AS running,
       (SELECT c.next_at FROM cursors c WHERE c.next_at <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) ORDER BY c.next_at LIMIT 1) AS overdue_at
FROM store_meta m JOIN leases l ON l.name = 'leader' LEFT JOIN nodes n ON n.id = l.holder_session
WHERE m.id = 1;

-- people/cluster_reads.py ELECTED
SELECT at FROM events WHERE event_key = %(key)s;

-- people/days.py ENDED
SELECT w.due_at DIV %(quarter)s AS quarter, w.state, count(*) AS runs FROM (
  SELECT q.due_at, q.state, q.shard, q.parent_id, q.follow FROM runs q
  WHERE q.job_id = %(job_id)s ORDER BY q.id DESC LIMIT %(look)s
) w
WHERE w.due_at >= %(from_at)s AND w.due_at < %(to_at)s AND w.shard = -1 AND w.parent_id IS NULL AND (w.follow & 128) <> 128
GROUP BY w.due_at DIV %(quarter)s, w.state;

-- people/days.py PASSED_OVER
SELECT w.to_at DIV %(quarter)s AS quarter, sum(w.instants) AS instants FROM (
  SELECT to_at, count AS instants FROM skips
  WHERE job_id = %(job_id)s AND to_at >= %(from_at)s AND to_at < %(to_at)s ORDER BY to_at DESC LIMIT %(look)s
) w GROUP BY w.to_at DIV %(quarter)s;

-- people/days.py OLDEST_LOOKED_AT
SELECT due_at FROM runs WHERE job_id = %(job_id)s ORDER BY id DESC LIMIT 1 OFFSET %(look)s;

-- people/glance.py BETWEEN
SELECT c.job_id FROM (
  SELECT job_id, next_at, state FROM cursors WHERE next_at > %(after)s AND next_at <= %(until)s
  ORDER BY next_at, job_id LIMIT %(look)s
) c JOIN jobs j ON j.id = c.job_id
WHERE c.state = 'active' AND j.deleted_at = 0 AND j.namespace >= %(low)s AND j.namespace <= %(high)s
ORDER BY c.next_at, c.job_id LIMIT %(rows)s;

-- people/glance.py NAMESPACES
SELECT namespace FROM jobs GROUP BY namespace ORDER BY namespace LIMIT %(most)s;

-- people/glance.py THIS_NAMESPACE
SELECT namespace FROM jobs WHERE namespace = %(namespace)s AND length(namespace) = length(%(namespace)s) LIMIT 1;

-- people/holds.py LANES_AMONG
SELECT lanes.id, lanes.document FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (lane BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN lanes ON lanes.id = d.lane;

-- people/holds.py LIMITS
SELECT limits.name, limits.max, limits.used, limits.rate, limits.rate_per_us, limits.pace_us, limits.burst,
       limits.spent_until, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AS seen_at,
       CASE WHEN limits.claim_until > TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) THEN limits.claim_lane END AS claimed_by
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (label LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN limits ON limits.name = d.label;

-- people/holds.py HEADS
SELECT h.id, h.job_id, h.place FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs h ON h.id = (
  SELECT r.id FROM runs r WHERE r.line_job = d.job_id AND r.parent_id IS NULL ORDER BY r.place, r.id LIMIT 1);

-- people/job_reads.py ONE
SELECT
    j.id, j.namespace, j.name, j.deleted_at, j.version, j.source, j.pause_reason, j.paused_by, j.paused_at,
    j.created_at, j.updated_at, j.source_module, j.undeclared_at, j.retirement, j.renamed_to,
    v.hash, v.definition, v.created_by, c.state, c.next_at, c.next_due_at, c.remaining, c.trouble FROM jobs j
    JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
    JOIN cursors c ON c.job_id = j.id WHERE j.namespace = %(namespace)s AND length(j.namespace) = length(%(namespace)s) AND j.name = %(name)s AND length(j.name) = length(%(name)s) AND j.deleted_at = 0;

-- people/job_reads.py BY_NAME_IN
SELECT id, namespace, name FROM jobs WHERE namespace = %(namespace)s AND length(namespace) = length(%(namespace)s) AND name > %(name)s AND deleted_at = 0 ORDER BY  name LIMIT %(rows)s;

-- people/job_reads.py BY_NAME
SELECT id, namespace, name FROM jobs WHERE (namespace > %(namespace)s OR (namespace = %(namespace)s AND name > %(name)s)) AND deleted_at = 0 ORDER BY namespace, name LIMIT %(rows)s;

-- people/job_reads.py NARROWED
SELECT j.id, j.namespace, j.name FROM (
  SELECT id, namespace, name, version FROM jobs FORCE INDEX (jobs_name)
  WHERE (namespace > %(namespace)s OR (namespace = %(namespace)s AND name > %(name)s)) AND namespace <= %(high)s AND deleted_at = 0 ORDER BY namespace, name LIMIT 20000
) j
JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
JOIN cursors c ON c.job_id = j.id
WHERE (lower(j.name) LIKE %(pattern)s ESCAPE '!' OR lower(v.definition) LIKE %(pattern)s ESCAPE '!'
       OR ((j.name LIKE %(sharp)s OR j.name LIKE %(capital_sharp)s) AND lower(j.name) LIKE %(folded)s ESCAPE '!')
       OR ((v.definition LIKE %(sharp)s OR v.definition LIKE %(capital_sharp)s)
           AND lower(v.definition) LIKE %(folded)s ESCAPE '!'))
  AND c.state LIKE %(state)s AND coalesce(c.next_at, 0) < %(due_before)s
ORDER BY j.namespace, j.name LIMIT %(rows)s;

-- people/job_reads.py EDGE
SELECT id, namespace, name FROM jobs WHERE (namespace > %(namespace)s OR (namespace = %(namespace)s AND name > %(name)s)) AND namespace <= %(high)s AND deleted_at = 0
ORDER BY namespace, name LIMIT 1 OFFSET 19999;

-- people/job_reads.py BY_NEXT
SELECT job_id AS id, next_at FROM cursors WHERE (next_at > %(next_at)s OR (next_at = %(next_at)s AND job_id > %(job_id)s)) ORDER BY next_at, job_id LIMIT %(rows)s;

-- people/job_reads.py BY_NAMES
SELECT jobs.id, jobs.namespace, jobs.name FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (namespace LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d
JOIN jobs ON jobs.namespace = d.namespace AND jobs.name = d.name AND jobs.deleted_at = 0;

-- people/job_reads.py BY_ID
SELECT
    j.id, j.namespace, j.name, j.deleted_at, j.version, j.source, j.pause_reason, j.paused_by, j.paused_at,
    j.created_at, j.updated_at, j.source_module, j.undeclared_at, j.retirement, j.renamed_to,
    v.hash, v.definition, v.created_by, c.state, c.next_at, c.next_due_at, c.remaining, c.trouble FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN jobs j ON j.id = d.id
    JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
    JOIN cursors c ON c.job_id = j.id;

-- people/job_reads.py LAST_RUNS
SELECT r.id, r.job_id, r.state, r.kind, r.created_at, r.started_at, r.ended_at, r.attempt, r.place, r.cancel_at,
       r.parent_id, r.lane, r.not_before, r.serial
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN runs r ON r.id = (
  SELECT q.id FROM runs q
  WHERE q.job_id = d.job_id AND q.shard = -1 AND q.parent_id IS NULL AND (q.follow & 128) <> 128
  ORDER BY q.id DESC LIMIT 1
);

-- people/job_reads.py NAMESAKES
SELECT id, source FROM jobs WHERE namespace = %(namespace)s AND length(namespace) = length(%(namespace)s) AND name = %(name)s AND length(name) = length(%(name)s)
ORDER BY CASE WHEN deleted_at = 0 THEN 0 WHEN source = 'test' THEN 2 ELSE 1 END, id DESC LIMIT %(rows)s;

-- people/job_reads.py NAMES
SELECT namespace, name FROM jobs WHERE deleted_at = 0 ORDER BY namespace, name LIMIT %(rows)s;

-- people/job_reads.py NAMES_IN
SELECT namespace, name FROM jobs WHERE namespace = %(namespace)s AND length(namespace) = length(%(namespace)s) AND deleted_at = 0 ORDER BY name LIMIT %(rows)s;

-- people/job_reads.py VERSIONS
SELECT version, hash, definition, created_at, created_by, reason FROM job_versions WHERE job_id = %(job_id)s AND version < %(before)s ORDER BY version DESC LIMIT %(rows)s;

-- people/job_reads.py VERSION
SELECT version, hash, definition, created_at, created_by, reason FROM job_versions WHERE job_id = %(job_id)s AND version = %(version)s;

-- people/job_reads.py SEARCH
SELECT
j.id, j.namespace, j.name, j.deleted_at, j.version, j.source, j.pause_reason, j.paused_by, j.paused_at,
j.created_at, j.updated_at, j.source_module, j.undeclared_at, j.retirement, j.renamed_to,
v.hash, v.definition, v.created_by, c.state, c.next_at, c.next_due_at, c.remaining, c.trouble FROM (
  SELECT * FROM jobs WHERE namespace >= %(low)s AND namespace <= %(high)s AND deleted_at = 0
  ORDER BY namespace, name LIMIT 20000
) j
JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
JOIN cursors c ON c.job_id = j.id
WHERE lower(j.name) LIKE %(pattern)s ESCAPE '!' OR lower(v.definition) LIKE %(pattern)s ESCAPE '!'
ORDER BY CASE WHEN lower(j.name) LIKE %(prefix)s ESCAPE '!' THEN 0
              WHEN lower(j.name) LIKE %(pattern)s ESCAPE '!' THEN 1 ELSE 2 END, j.namespace, j.name
LIMIT %(rows)s;

-- people/journal.py _NOTE
INSERT INTO events (event_key, at, topic, kind, namespace, subject, made_by, data) SELECT n.event_key, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), n.topic, n.kind, n.namespace, n.subject, n.made_by, n.data FROM JSON_TABLE(%(n)s, '$[*]' COLUMNS (event_key LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, topic LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, kind LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, namespace LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, subject LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, made_by LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[5]' NULL ON EMPTY ERROR ON ERROR, data LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[6]' NULL ON EMPTY ERROR ON ERROR)) AS n WHERE (EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = %(term)s) OR %(term)s IS NULL) ON DUPLICATE KEY UPDATE events.event_key = events.event_key;

-- people/journal.py _BEFORE
SELECT id, at, topic, kind, namespace, subject, made_by, data FROM events WHERE id < %(before)s ORDER BY id DESC LIMIT %(rows)s;

-- people/journal.py _BEFORE_OF
SELECT id, at, topic, kind, namespace, subject, made_by, data FROM events WHERE subject = %(subject)s AND id < %(before)s ORDER BY id DESC LIMIT %(rows)s;

-- people/journal.py _AFTER
SELECT id, at, topic, kind, namespace, subject, made_by, data FROM events WHERE id > %(after)s ORDER BY id LIMIT %(rows)s;

-- people/journal.py _NEWEST
SELECT coalesce(max(id), 0) FROM events;

-- people/journal.py _OLD
SELECT id FROM events WHERE at < %(before)s ORDER BY at LIMIT %(rows)s;

-- people/journal.py _FORGET
DELETE FROM events WHERE id >= %(first)s AND id <= %(last)s AND at < %(before)s;

-- people/key_holds.py AWAITED
SELECT w.run_id, k.name, k.said, k.used, k.pace_us, k.burst, k.spent_until, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AS seen_at,
       (SELECT min(h.run_id) FROM limit_runs h WHERE h.name = k.name AND h.waits = 0) AS holder
FROM limit_runs w JOIN limit_keys k ON k.name = w.name
WHERE w.waits = 1 AND w.run_id IN (SELECT d.id FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d);

-- people/key_holds.py FULL_WORKERS
SELECT count(*) FROM limit_keys WHERE name > %(first)s AND name < %(beyond)s AND used >= %(most)s;

-- people/key_use.py FULL
SELECT k.name, k.said, k.used, k.pace_us, k.burst, k.spent_until, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AS seen_at
FROM (SELECT l.name, l.said, l.used, l.pace_us, l.burst, l.spent_until FROM limit_keys l
      WHERE l.name > %(first)s AND l.name < %(beyond)s ORDER BY l.name LIMIT 10000) k
WHERE (k.pace_us = 0 AND k.used >= %(most)s)
      OR (k.pace_us > 0 AND k.spent_until - (k.burst - 1) * k.pace_us > TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)))
ORDER BY k.used DESC, k.spent_until DESC, k.name LIMIT %(rows)s;

-- people/key_use.py WAITING
SELECT count(*) FROM (SELECT w.run_id FROM limit_runs w WHERE w.name = %(name)s AND length(w.name) = length(%(name)s) AND w.waits = 1 LIMIT %(rows)s) q;

-- people/key_use.py HOLDING
SELECT h.run_id FROM limit_runs h WHERE h.name = %(name)s AND length(h.name) = length(%(name)s) AND h.waits = 0 ORDER BY h.turn, h.run_id LIMIT %(rows)s;

-- people/key_use.py WORKERS
SELECT nodes.id, nodes.name FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN nodes ON nodes.id = d.id;

-- people/ledger_page.py SKIPPED_SINCE
SELECT TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AS now, maintenance_until, maintenance_at, maintenance_by, maintenance_reason, s.* FROM store_meta m LEFT JOIN (
  SELECT from_at, to_at, count AS instants, reason, why, cause, version, decided_at FROM skips WHERE job_id = %(job_id)s AND to_at >= %(since)s AND from_at <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6))
  ORDER BY to_at DESC LIMIT %(rows)s) s ON true
WHERE m.id = 1 ORDER BY s.to_at DESC;

-- people/ledger_page.py VERSIONS_AMONG
SELECT v.version, v.hash, v.definition, v.created_at, v.created_by, v.reason, d.lane, l.document AS lane_document FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (version BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, lane BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN job_versions v ON v.job_id = %(job_id)s AND v.version = d.version LEFT JOIN lanes l ON l.id = d.lane;

-- people/ledger_page.py LAST_TRIES
SELECT a.run_id, a.attempt, a.cause, n.name AS node, a.session_id, a.fence, a.leased_at, a.started_at, a.ended_at, a.error, a.error_type FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (run_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN attempts a ON a.run_id = d.run_id LEFT JOIN nodes n ON n.id = a.session_id WHERE a.attempt = (SELECT max(b.attempt) FROM attempts b WHERE b.run_id = d.run_id);

-- people/ledger_page.py SHARD_STATES
SELECT r.parent_id, r.state, count(*) AS runs FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (run_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN runs r ON r.parent_id = d.run_id WHERE r.shard >= 0 GROUP BY r.parent_id, r.state;

-- people/ledger_page.py LINE_AND_OBSTACLES
SELECT
r.id, r.job_id, r.version, r.fire_key, r.shard, r.parent_id, r.open_children, r.due_at, r.not_before, r.lane,
r.class AS paced, r.priority, r.serial, r.place, r.parked, r.follow, r.state, r.kind, r.ver, r.attempt, r.failures,
r.deaths, r.created_at, r.cancel_at, r.session_id, r.fence, r.leased_at, r.started_at, r.deadline_at, r.ended_at,
r.triggered_by, r.reason, r.params, r.result, r.error, r.error_type, r.cancelled_by, r.cancel_reason, r.assigned_to,
r.assigned_until, r.assigned_before, j.namespace, j.name AS job, n.name AS node, d.is_in_line FROM (
  SELECT q.id, 1 AS is_in_line FROM (SELECT r.id FROM runs r WHERE r.line_job = %(job_id)s AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place IS NOT NULL AND r.parent_id IS NULL ORDER BY r.place, r.id LIMIT %(in_line)s) q
  UNION ALL
  SELECT o.id, 0 AS is_in_line FROM (
    SELECT w.id FROM (SELECT id, shard, parent_id, created_at FROM runs
                      WHERE job_id = %(job_id)s ORDER BY id DESC LIMIT %(look)s) w
    WHERE w.shard = -1 AND w.parent_id IS NULL AND w.created_at <= %(until)s ORDER BY w.id DESC LIMIT %(rows)s) o
) d JOIN runs r ON r.id = d.id JOIN jobs j ON j.id = r.job_id LEFT JOIN nodes n ON n.id = r.session_id;

-- people/ledger_reads.py FIRED
SELECT
    r.id, r.job_id, r.version, r.fire_key, r.shard, r.parent_id, r.open_children, r.due_at, r.not_before, r.lane,
    r.class AS paced, r.priority, r.serial, r.place, r.parked, r.follow, r.state, r.kind, r.ver, r.attempt, r.failures,
    r.deaths, r.created_at, r.cancel_at, r.session_id, r.fence, r.leased_at, r.started_at, r.deadline_at, r.ended_at,
    r.triggered_by, r.reason, r.params, r.result, r.error, r.error_type, r.cancelled_by, r.cancel_reason, r.assigned_to,
    r.assigned_until, r.assigned_before, j.namespace, j.name AS job, n.name AS node FROM runs r JOIN jobs j ON j.id = r.job_id LEFT JOIN nodes n ON n.id = r.session_id WHERE r.job_id = %(job_id)s AND r.fire_key >= %(low)s AND r.fire_key < %(high)s AND r.shard = -1 ORDER BY r.fire_key DESC LIMIT %(rows)s;

-- people/ledger_reads.py SKIPPED
SELECT from_at, to_at, count AS instants, reason, why, cause, version, decided_at FROM skips WHERE job_id = %(job_id)s AND to_at >= %(from_at)s AND from_at < %(to_at)s ORDER BY to_at DESC LIMIT %(rows)s;

-- people/ledger_reads.py BY_KEY
SELECT
    r.id, r.job_id, r.version, r.fire_key, r.shard, r.parent_id, r.open_children, r.due_at, r.not_before, r.lane,
    r.class AS paced, r.priority, r.serial, r.place, r.parked, r.follow, r.state, r.kind, r.ver, r.attempt, r.failures,
    r.deaths, r.created_at, r.cancel_at, r.session_id, r.fence, r.leased_at, r.started_at, r.deadline_at, r.ended_at,
    r.triggered_by, r.reason, r.params, r.result, r.error, r.error_type, r.cancelled_by, r.cancel_reason, r.assigned_to,
    r.assigned_until, r.assigned_before, j.namespace, j.name AS job, n.name AS node FROM runs r JOIN jobs j ON j.id = r.job_id LEFT JOIN nodes n ON n.id = r.session_id WHERE r.job_id = %(job_id)s AND r.fire_key = %(fire_key)s AND r.shard = -1;

-- people/ledger_reads.py SKIP_OVER
SELECT from_at, to_at, count AS instants, reason, why, cause, version, decided_at FROM skips WHERE job_id = %(job_id)s AND to_at >= %(at)s AND from_at <= %(at)s ORDER BY to_at LIMIT 1;

-- people/ledger_reads.py IN_FORCE
SELECT version, hash, definition, created_at, created_by, reason FROM job_versions WHERE job_id = %(job_id)s AND created_at <= %(at)s ORDER BY version DESC LIMIT 1;

-- people/ledger_reads.py FIRST
SELECT version, hash, definition, created_at, created_by, reason FROM job_versions WHERE job_id = %(job_id)s ORDER BY version LIMIT 1;

-- people/ledger_reads.py LINE
SELECT
    r.id, r.job_id, r.version, r.fire_key, r.shard, r.parent_id, r.open_children, r.due_at, r.not_before, r.lane,
    r.class AS paced, r.priority, r.serial, r.place, r.parked, r.follow, r.state, r.kind, r.ver, r.attempt, r.failures,
    r.deaths, r.created_at, r.cancel_at, r.session_id, r.fence, r.leased_at, r.started_at, r.deadline_at, r.ended_at,
    r.triggered_by, r.reason, r.params, r.result, r.error, r.error_type, r.cancelled_by, r.cancel_reason, r.assigned_to,
    r.assigned_until, r.assigned_before, j.namespace, j.name AS job, n.name AS node FROM runs r JOIN jobs j ON j.id = r.job_id LEFT JOIN nodes n ON n.id = r.session_id WHERE r.line_job = %(job_id)s AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place IS NOT NULL AND r.parent_id IS NULL ORDER BY r.place, r.id LIMIT 1000;

-- people/limit_use.py MOST
SELECT limits.name, limits.max FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN limits ON limits.name = d.name;

-- people/limit_use.py HOLDERS
SELECT r.id, r.lane, r.leased_at, j.namespace, j.name, n.name AS worker
FROM runs r JOIN jobs j ON j.id = r.job_id LEFT JOIN nodes n ON n.id = r.session_id
WHERE r.state = 'RUNNING' AND r.held_by > '' AND r.lease_id IS NOT NULL AND r.lane IN (SELECT d.lane FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (lane BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d)
ORDER BY r.leased_at, r.id LIMIT %(rows)s;

-- people/limit_use.py ASSIGNED
SELECT r.id, r.not_before FROM runs r
WHERE r.assigned_to > '' AND r.state = 'PENDING' AND r.parked = 2 AND r.lane IN (SELECT d.lane FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (lane BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d)
      AND r.not_before <= %(now)s
ORDER BY r.not_before, r.id LIMIT %(rows)s;

-- people/limit_use.py FIRSTS
SELECT r.lane, r.class, r.priority, r.id, r.not_before FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (lane BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, class BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, priority BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs r ON r.id = (
  SELECT e.id FROM runs e FORCE INDEX (runs_ready)
  WHERE e.ready_lane = d.lane AND e.class = d.class AND e.priority = d.priority
  ORDER BY e.not_before, e.id LIMIT 1)
WHERE r.not_before <= %(now)s;

-- people/limit_use.py WAITING
SELECT count(*) FROM (
  SELECT r.id FROM runs r
  WHERE r.ready_lane = %(lane)s AND r.class = %(class)s AND r.priority = %(priority)s AND r.state = 'PENDING'
        AND r.parked = 0 AND r.not_before <= %(now)s
  LIMIT %(rows)s
) q;

-- people/limit_use.py RUN_OF
SELECT j.namespace, j.name FROM runs r JOIN jobs j ON j.id = r.job_id WHERE r.id = %(id)s;

-- people/limit_use.py USERS
SELECT j.namespace, j.name, v.lane_id, v.merge_lane_id
FROM jobs j JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
WHERE j.deleted_at = 0 AND (v.lane_id IN (SELECT d.lane FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (lane BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d) OR v.merge_lane_id IN (SELECT d.lane FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (lane BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d))
ORDER BY j.namespace, j.name LIMIT %(rows)s;

-- people/named_limits.py LIST_LIMITS
SELECT name, namespace, max, used, rate, rate_per_us, pace_us, burst, spent_until, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AS seen_at FROM limits WHERE name > %(after)s AND ((name > 'grp:' AND name < 'grp;') OR (name > 'ns:' AND name < 'ns;') OR (name > 'res:' AND name < 'res;')) ORDER BY name LIMIT %(rows)s;

-- people/named_limits.py _LIST_IN
SELECT name, namespace, max, used, rate, rate_per_us, pace_us, burst, spent_until, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AS seen_at FROM limits WHERE name > %(after)s AND ((name > 'grp:' AND name < 'grp;') OR (name > 'ns:' AND name < 'ns;') OR (name > 'res:' AND name < 'res;')) AND (namespace IS NULL OR namespace = %(namespace)s) ORDER BY name LIMIT %(rows)s;

-- people/named_limits.py _NAMESAKES
SELECT count(*) FROM limits WHERE name > 'res:' AND name < 'res;' AND namespace IS NOT NULL AND name LIKE %(pattern)s ESCAPE '!';

-- people/named_limits.py _MAKE_SCOPE
INSERT INTO limits (name, max, used, ver, namespace)
SELECT d.name, d.max, 0, 1, d.namespace FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, max BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, namespace LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR)) AS d WHERE true ON DUPLICATE KEY UPDATE limits.name = limits.name;

-- people/named_limits.py _SET_SCOPE
UPDATE limits SET max = %(max)s, ver = ver + 1 WHERE name = %(name)s AND length(name) = length(%(name)s);

-- people/named_limits.py _FIND
SELECT name, namespace, max, used, rate, rate_per_us, pace_us, burst, spent_until, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AS seen_at FROM limits WHERE name = %(name)s AND length(name) = length(%(name)s);

-- people/named_limits.py _REMOVE
DELETE FROM limits WHERE name = %(name)s AND length(name) = length(%(name)s);

-- people/ranking.py LATEST
SELECT q.job_id, q.state, q.ended_at - q.started_at AS took FROM (
  SELECT job_id, state, started_at, ended_at, follow FROM runs ORDER BY id DESC LIMIT 10000
) q
WHERE q.state IN ('SUCCEEDED', 'FAILED') AND (q.follow & 128) <> 128;

-- people/replies.py _CLAIM
INSERT INTO replies (hash, request_hash, claim, made_at) VALUES (%(hash)s, %(request_hash)s, %(claim)s, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6))) ON DUPLICATE KEY UPDATE replies.hash = replies.hash;

-- people/replies.py _FIND
SELECT request_hash, claim, status, headers, body, made_at FROM replies WHERE hash = %(hash)s FOR UPDATE;

-- people/replies.py _TAKE_OVER
UPDATE replies SET request_hash = %(request_hash)s, claim = %(claim)s, made_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), status = NULL, headers = NULL, body = NULL WHERE hash = %(hash)s AND claim = %(seen)s;

-- people/replies.py _KEEP
UPDATE replies SET status = %(status)s, headers = %(headers)s, body = %(body)s WHERE hash = %(hash)s AND claim = %(claim)s AND status IS NULL;

-- people/replies.py _RELEASE
DELETE FROM replies WHERE hash = %(hash)s AND claim = %(claim)s AND status IS NULL;

-- people/replies.py _OLD
SELECT hash FROM replies WHERE made_at < %(before)s ORDER BY made_at LIMIT %(rows)s;

-- people/replies.py _FORGET
DELETE replies FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (hash LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN replies ON replies.hash = d.hash WHERE true AND made_at < %(before)s;

-- people/run_reads.py WALK
SELECT r.id, r.job_id, r.state, r.kind, r.created_at, r.shard, r.parent_id, r.session_id, r.attempt, r.place, r.cancel_at, r.lane, r.not_before, r.serial, r.follow, r.ended_at FROM runs r WHERE r.id < %(before)s ORDER BY r.id DESC LIMIT %(rows)s;

-- people/run_reads.py WALK_JOB
SELECT r.id, r.job_id, r.state, r.kind, r.created_at, r.shard, r.parent_id, r.session_id, r.attempt, r.place, r.cancel_at, r.lane, r.not_before, r.serial, r.follow, r.ended_at FROM runs r WHERE r.job_id = %(job_id)s AND r.id < %(before)s ORDER BY r.id DESC LIMIT %(rows)s;

-- people/run_reads.py WALK_LIVE
SELECT r.id, r.job_id, r.state, r.kind, r.created_at, r.shard, r.parent_id, r.session_id, r.attempt, r.place, r.cancel_at, r.lane, r.not_before, r.serial, r.follow, r.ended_at FROM runs r WHERE r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND +r.id < %(before)s ORDER BY +r.id DESC LIMIT %(rows)s;

-- people/run_reads.py FETCH
SELECT
    r.id, r.job_id, r.version, r.fire_key, r.shard, r.parent_id, r.open_children, r.due_at, r.not_before, r.lane,
    r.class AS paced, r.priority, r.serial, r.place, r.parked, r.follow, r.state, r.kind, r.ver, r.attempt, r.failures,
    r.deaths, r.created_at, r.cancel_at, r.session_id, r.fence, r.leased_at, r.started_at, r.deadline_at, r.ended_at,
    r.triggered_by, r.reason, r.params, r.result, r.error, r.error_type, r.cancelled_by, r.cancel_reason, r.assigned_to,
    r.assigned_until, r.assigned_before, j.namespace, j.name AS job, n.name AS node FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN runs r ON r.id = d.id JOIN jobs j ON j.id = r.job_id LEFT JOIN nodes n ON n.id = r.session_id;

-- people/run_reads.py ONE
SELECT
    r.id, r.job_id, r.version, r.fire_key, r.shard, r.parent_id, r.open_children, r.due_at, r.not_before, r.lane,
    r.class AS paced, r.priority, r.serial, r.place, r.parked, r.follow, r.state, r.kind, r.ver, r.attempt, r.failures,
    r.deaths, r.created_at, r.cancel_at, r.session_id, r.fence, r.leased_at, r.started_at, r.deadline_at, r.ended_at,
    r.triggered_by, r.reason, r.params, r.result, r.error, r.error_type, r.cancelled_by, r.cancel_reason, r.assigned_to,
    r.assigned_until, r.assigned_before, j.namespace, j.name AS job, n.name AS node, n.progress, n.last_beat_at, c.progress AS called, c.told_at, c.ended_at AS by_callback_at FROM runs r JOIN jobs j ON j.id = r.job_id LEFT JOIN nodes n ON n.id = r.session_id LEFT JOIN callbacks c ON c.run_id = r.id AND c.lease_id = coalesce(r.lease_id, r.last_lease_id) WHERE r.id = %(id)s;

-- people/run_reads.py SHARDS
SELECT
    r.id, r.job_id, r.version, r.fire_key, r.shard, r.parent_id, r.open_children, r.due_at, r.not_before, r.lane,
    r.class AS paced, r.priority, r.serial, r.place, r.parked, r.follow, r.state, r.kind, r.ver, r.attempt, r.failures,
    r.deaths, r.created_at, r.cancel_at, r.session_id, r.fence, r.leased_at, r.started_at, r.deadline_at, r.ended_at,
    r.triggered_by, r.reason, r.params, r.result, r.error, r.error_type, r.cancelled_by, r.cancel_reason, r.assigned_to,
    r.assigned_until, r.assigned_before, j.namespace, j.name AS job, n.name AS node FROM runs r JOIN jobs j ON j.id = r.job_id LEFT JOIN nodes n ON n.id = r.session_id WHERE r.parent_id = %(id)s ORDER BY r.shard, r.id LIMIT %(rows)s;

-- people/run_reads.py JOBS
SELECT j.id, j.namespace, v.definition FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN jobs j ON j.id = d.id JOIN job_versions v ON v.job_id = j.id AND v.version = j.version;

-- people/run_reads.py NODES
SELECT n.id, n.name FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN nodes n ON n.id = d.id;

-- people/run_reads.py AT_OR_ABOVE
SELECT id, created_at FROM runs WHERE id >= %(id)s ORDER BY id LIMIT 1;

-- people/run_reads.py BOUNDS
SELECT coalesce(min(id), 0) AS low, coalesce(max(id), 0) AS high FROM runs;

-- people/run_reads.py ATTEMPTS
SELECT a.attempt, a.cause, n.name AS node, a.session_id, a.fence, a.leased_at, a.started_at, a.ended_at, a.error, a.error_type FROM attempts a LEFT JOIN nodes n ON n.id = a.session_id WHERE a.run_id = %(id)s ORDER BY a.attempt;

-- people/run_reads.py FIRST_STARTS
SELECT a.run_id, min(a.started_at) AS at FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN attempts a ON a.run_id = d.id GROUP BY a.run_id;

-- people/run_reads.py NEWER
SELECT
    r.id, r.job_id, r.version, r.fire_key, r.shard, r.parent_id, r.open_children, r.due_at, r.not_before, r.lane,
    r.class AS paced, r.priority, r.serial, r.place, r.parked, r.follow, r.state, r.kind, r.ver, r.attempt, r.failures,
    r.deaths, r.created_at, r.cancel_at, r.session_id, r.fence, r.leased_at, r.started_at, r.deadline_at, r.ended_at,
    r.triggered_by, r.reason, r.params, r.result, r.error, r.error_type, r.cancelled_by, r.cancel_reason, r.assigned_to,
    r.assigned_until, r.assigned_before, j.namespace, j.name AS job, n.name AS node FROM runs r JOIN jobs j ON j.id = r.job_id LEFT JOIN nodes n ON n.id = r.session_id WHERE r.id > %(after)s ORDER BY r.id LIMIT %(rows)s;

-- people/run_reads.py LIVE
SELECT
    r.id, r.job_id, r.version, r.fire_key, r.shard, r.parent_id, r.open_children, r.due_at, r.not_before, r.lane,
    r.class AS paced, r.priority, r.serial, r.place, r.parked, r.follow, r.state, r.kind, r.ver, r.attempt, r.failures,
    r.deaths, r.created_at, r.cancel_at, r.session_id, r.fence, r.leased_at, r.started_at, r.deadline_at, r.ended_at,
    r.triggered_by, r.reason, r.params, r.result, r.error, r.error_type, r.cancelled_by, r.cancel_reason, r.assigned_to,
    r.assigned_until, r.assigned_before, j.namespace, j.name AS job, n.name AS node FROM (SELECT * FROM runs WHERE state = 'RUNNING' AND held_by >= '' LIMIT %(rows)s) r JOIN jobs j ON j.id = r.job_id LEFT JOIN nodes n ON n.id = r.session_id;

-- people/run_reads.py NEWEST
SELECT coalesce(max(id), 0) FROM runs;

-- people/shard_logs.py BOUNDS
SELECT min(w.low) AS low, max(w.high) AS high
FROM (SELECT (SELECT l.written_at FROM run_logs l WHERE l.run_id = r.id ORDER BY l.written_at LIMIT 1) AS low,
             (SELECT l.written_at FROM run_logs l WHERE l.run_id = r.id ORDER BY l.written_at DESC LIMIT 1) AS high
      FROM runs r WHERE r.parent_id = %(id)s) w;

-- people/shard_logs.py NEWEST
   SELECT w.run_id, w.shard, w.attempt, w.at_offset, w.size, w.written_at, w.is_growing,
          p.at_offset AS before_at, p.size AS before_size,
          (SELECT n.at_offset FROM run_logs n FORCE INDEX (PRIMARY) WHERE n.run_id = w.run_id AND n.attempt = w.attempt
           ORDER BY n.at_offset DESC LIMIT 1) AS last_at
   FROM (SELECT
   r.id AS run_id, r.shard, l.attempt, l.at_offset, l.size, l.written_at,
   CASE WHEN r.state IN ('PENDING', 'RUNNING') AND l.attempt = r.attempt THEN 1 ELSE 0 END AS is_growing
FROM runs r JOIN run_logs l FORCE INDEX FOR JOIN (run_logs_time) ON l.run_id = r.id AND l.written_at >= %(from_at)s AND l.written_at <= %(until)s AND l.attempt >= %(first)s AND l.attempt <= %(last)s WHERE r.parent_id = %(id)s
         ORDER BY l.written_at DESC, r.id, l.attempt, l.at_offset LIMIT %(rows)s) w
   LEFT JOIN run_logs p ON p.run_id = w.run_id AND p.attempt = w.attempt
        AND p.at_offset = (SELECT q.at_offset FROM run_logs q FORCE INDEX (PRIMARY)
                           WHERE q.run_id = w.run_id AND q.attempt = w.attempt AND q.at_offset < w.at_offset
                           ORDER BY q.at_offset DESC LIMIT 1)
   ORDER BY w.written_at DESC, w.run_id, w.attempt, w.at_offset;

-- people/shard_logs.py OLDEST
   SELECT w.run_id, w.shard, w.attempt, w.at_offset, w.size, w.written_at, w.is_growing,
          p.at_offset AS before_at, p.size AS before_size,
          (SELECT n.at_offset FROM run_logs n FORCE INDEX (PRIMARY) WHERE n.run_id = w.run_id AND n.attempt = w.attempt
           ORDER BY n.at_offset DESC LIMIT 1) AS last_at
   FROM (SELECT
   r.id AS run_id, r.shard, l.attempt, l.at_offset, l.size, l.written_at,
   CASE WHEN r.state IN ('PENDING', 'RUNNING') AND l.attempt = r.attempt THEN 1 ELSE 0 END AS is_growing
FROM runs r JOIN run_logs l FORCE INDEX FOR JOIN (run_logs_time) ON l.run_id = r.id AND l.written_at >= %(from_at)s AND l.written_at <= %(until)s AND l.attempt >= %(first)s AND l.attempt <= %(last)s WHERE r.parent_id = %(id)s
         ORDER BY l.written_at, r.id, l.attempt, l.at_offset LIMIT %(rows)s) w
   LEFT JOIN run_logs p ON p.run_id = w.run_id AND p.attempt = w.attempt
        AND p.at_offset = (SELECT q.at_offset FROM run_logs q FORCE INDEX (PRIMARY)
                           WHERE q.run_id = w.run_id AND q.attempt = w.attempt AND q.at_offset < w.at_offset
                           ORDER BY q.at_offset DESC LIMIT 1)
   ORDER BY w.written_at, w.run_id, w.attempt, w.at_offset;

-- people/shard_logs.py NEWS
   SELECT w.run_id, w.shard, w.attempt, w.at_offset, w.size, w.written_at, w.is_growing,
          p.at_offset AS before_at, p.size AS before_size,
          (SELECT n.at_offset FROM run_logs n FORCE INDEX (PRIMARY) WHERE n.run_id = w.run_id AND n.attempt = w.attempt
           ORDER BY n.at_offset DESC LIMIT 1) AS last_at
   FROM (SELECT
   r.id AS run_id, r.shard, l.attempt, l.at_offset, l.size, l.written_at,
   CASE WHEN r.state IN ('PENDING', 'RUNNING') AND l.attempt = r.attempt THEN 1 ELSE 0 END AS is_growing
FROM run_logs l FORCE INDEX (run_logs_news) STRAIGHT_JOIN runs r ON r.id = l.run_id WHERE l.parent_id = %(id)s AND l.written_at >= %(from_at)s AND l.attempt >= %(first)s AND l.attempt <= %(last)s
         ORDER BY l.written_at, r.id, l.attempt, l.at_offset LIMIT %(rows)s) w
   LEFT JOIN run_logs p ON p.run_id = w.run_id AND p.attempt = w.attempt
        AND p.at_offset = (SELECT q.at_offset FROM run_logs q FORCE INDEX (PRIMARY)
                           WHERE q.run_id = w.run_id AND q.attempt = w.attempt AND q.at_offset < w.at_offset
                           ORDER BY q.at_offset DESC LIMIT 1)
   ORDER BY w.written_at, w.run_id, w.attempt, w.at_offset;

-- people/shard_logs.py ENDS
SELECT l.run_id, l.attempt, l.at_offset, l.size, l.written_at
FROM runs r STRAIGHT_JOIN run_logs l FORCE INDEX (PRIMARY) ON l.run_id = r.id
     AND l.attempt = (SELECT n.attempt FROM run_logs n FORCE INDEX (PRIMARY) WHERE n.run_id = r.id
                      AND n.attempt >= %(first)s AND n.attempt <= %(last)s ORDER BY n.attempt DESC LIMIT 1)
     AND l.at_offset = (SELECT m.at_offset FROM run_logs m FORCE INDEX (PRIMARY) WHERE m.run_id = r.id
                        AND m.attempt >= %(first)s AND m.attempt <= %(last)s
                        ORDER BY m.attempt DESC, m.at_offset DESC LIMIT 1)
WHERE r.parent_id = %(id)s;

-- people/shard_logs.py BEHIND
   SELECT w.run_id, w.shard, w.attempt, w.at_offset, w.size, w.written_at, w.is_growing,
          p.at_offset AS before_at, p.size AS before_size,
          (SELECT n.at_offset FROM run_logs n FORCE INDEX (PRIMARY) WHERE n.run_id = w.run_id AND n.attempt = w.attempt
           ORDER BY n.at_offset DESC LIMIT 1) AS last_at
   FROM (SELECT
   r.id AS run_id, r.shard, l.attempt, l.at_offset, l.size, l.written_at,
   CASE WHEN r.state IN ('PENDING', 'RUNNING') AND l.attempt = r.attempt THEN 1 ELSE 0 END AS is_growing
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (run_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, attempt BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, at_offset BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN runs r ON r.id = d.run_id JOIN run_logs l FORCE INDEX (PRIMARY) ON l.run_id = d.run_id AND l.attempt = d.attempt AND l.at_offset >= d.at_offset
         ORDER BY r.id, l.attempt, l.at_offset LIMIT %(rows)s) w
   LEFT JOIN run_logs p ON p.run_id = w.run_id AND p.attempt = w.attempt
        AND p.at_offset = (SELECT q.at_offset FROM run_logs q FORCE INDEX (PRIMARY)
                           WHERE q.run_id = w.run_id AND q.attempt = w.attempt AND q.at_offset < w.at_offset
                           ORDER BY q.at_offset DESC LIMIT 1)
   ORDER BY w.run_id, w.attempt, w.at_offset;

-- people/shard_logs.py TEXTS
SELECT l.run_id, l.attempt, l.at_offset, l.body
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (run_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, attempt BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, at_offset BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN run_logs l ON l.run_id = d.run_id AND l.attempt = d.attempt AND l.at_offset = d.at_offset;

-- people/skip_reads.py NEWEST
SELECT id, from_at, to_at, count AS instants, reason, why, cause, version, decided_at, (SELECT j.name FROM jobs j WHERE j.id = skips.job_id) AS name,
       (SELECT j.namespace FROM jobs j WHERE j.id = skips.job_id) AS namespace
FROM skips WHERE id < %(before)s ORDER BY id DESC LIMIT %(rows)s;

-- people/strips.py STRIPS
WITH RECURSIVE walk (job_id, id, step) AS (
  SELECT d.job_id, (
    SELECT q.id FROM runs q
    WHERE q.job_id = d.job_id AND q.shard = -1 AND q.parent_id IS NULL AND (q.follow & 128) <> 128
    ORDER BY q.id DESC LIMIT 1
  ), 1 FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d
  UNION ALL
  SELECT w.job_id, (
    SELECT q.id FROM runs q
    WHERE q.job_id = w.job_id AND q.id < w.id AND q.shard = -1 AND q.parent_id IS NULL AND (q.follow & 128) <> 128
    ORDER BY q.id DESC LIMIT 1
  ), w.step + 1 FROM walk w WHERE w.step < %(length)s AND w.id IS NOT NULL
)
SELECT r.id, r.job_id, r.state, r.kind, r.created_at, r.started_at, r.ended_at, r.attempt, r.cancel_at
FROM walk JOIN runs r ON r.id = walk.id;

-- people/tokens.py _BY_HASH
SELECT id, name, hash, scopes, namespace, group_name, created_at, created_by, expires_at, last_used_at, revoked_at, line, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AS now FROM tokens WHERE hash = %(hash)s;

-- people/tokens.py _ANY
SELECT 1 FROM tokens LIMIT 1;

-- people/tokens.py _BY_NAME
SELECT id, name, hash, scopes, namespace, group_name, created_at, created_by, expires_at, last_used_at, revoked_at, line FROM tokens WHERE name = %(name)s AND length(name) = length(%(name)s) AND revoked_at = 0 AND expires_at > TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6));

-- people/tokens.py _BY_ID
SELECT id, name, hash, scopes, namespace, group_name, created_at, created_by, expires_at, last_used_at, revoked_at, line FROM tokens WHERE id = %(id)s;

-- people/tokens.py _OF_NAME
SELECT id, name, hash, scopes, namespace, group_name, created_at, created_by, expires_at, last_used_at, revoked_at, line FROM tokens WHERE name = %(name)s AND length(name) = length(%(name)s) AND expires_at > TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AND (revoked_at = 0 OR revoked_at > TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6))) ORDER BY created_at DESC, id;

-- people/tokens.py _ALL
SELECT id, name, hash, scopes, namespace, group_name, created_at, created_by, expires_at, last_used_at, revoked_at, line FROM tokens ORDER BY created_at DESC, id LIMIT 1000;

-- people/tokens.py _ADD
INSERT INTO tokens (id, name, hash, scopes, namespace, group_name, created_at, created_by, expires_at, revoked_at, line) VALUES (%(id)s, %(name)s, %(hash)s, %(scopes)s, %(namespace)s, %(group_name)s, %(now)s, %(created_by)s, %(expires_at)s, 0, %(line)s);

-- people/tokens.py _END
UPDATE tokens SET revoked_at = %(at)s WHERE id = %(id)s AND (revoked_at = 0 OR revoked_at > %(at)s) AND expires_at > %(at)s;

-- people/tokens.py _ENDS_THEN
SELECT 1 FROM tokens mine JOIN tokens other ON other.name = mine.name AND other.revoked_at = %(at)s WHERE mine.id = %(id)s AND other.id <> %(id)s;

-- people/tokens.py _STEP_ASIDE
UPDATE tokens SET revoked_at = expires_at WHERE name = %(name)s AND length(name) = length(%(name)s) AND revoked_at = 0 AND expires_at <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6));

-- people/tokens.py _USED
UPDATE tokens SET last_used_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) WHERE id = %(id)s;

-- people/tokens.py _ADD_CODE
INSERT INTO login_codes (hash, created_by, expires_at) VALUES (%(hash)s, %(created_by)s, %(expires_at)s);

-- people/tokens.py _FORGET_CODES
DELETE FROM login_codes WHERE expires_at <= TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6));

-- people/tokens.py _USE_CODE
DELETE FROM login_codes WHERE hash = %(hash)s AND expires_at > TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6));

-- people/views.py OF_OWNERS
SELECT v.owner, v.name, v.path, v.saved_at, v.saved_by FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (owner LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d JOIN views v ON v.owner = d.owner ORDER BY v.name, v.owner;

-- people/views.py ONE
SELECT v.owner, v.name, v.path, v.saved_at, v.saved_by FROM views v WHERE v.owner = %(owner)s AND v.name = %(name)s AND length(v.name) = length(%(name)s);

-- people/views.py COUNT
SELECT count(*) AS found FROM views WHERE owner = %(owner)s AND name <> %(name)s;

-- people/views.py CHANGE
UPDATE views SET path = %(path)s, saved_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), saved_by = %(by)s WHERE owner = %(owner)s AND name = %(name)s AND length(name) = length(%(name)s);

-- people/views.py INSERT
INSERT INTO views (owner, name, path, saved_at, saved_by) VALUES (%(owner)s, %(name)s, %(path)s, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), %(by)s) ON DUPLICATE KEY UPDATE views.owner = views.owner;

-- people/views.py REMOVE
DELETE FROM views WHERE owner = %(owner)s AND name = %(name)s AND length(name) = length(%(name)s);

-- statistics/anomalies.py PROGRESS
SELECT ver, at, after_id FROM history_progress WHERE subject = 'anomalies';

-- statistics/anomalies.py MOVE
UPDATE history_progress SET ver = ver + 1, at = %(hour_at)s, after_id = %(after_id)s
WHERE subject = 'anomalies' AND ver = %(seen)s AND (EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = %(term)s) OR %(term)s IS NULL);

-- statistics/anomalies.py PAGE
   SELECT s.resolution, s.job_id, s.start_at, s.runs, s.succeeded, s.failed, s.took, s.took_max_us, s.delays,
          s.delay_max_us, s.took_sketch, s.delay_sketch, s.kinds
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (resolution BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, start_at BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN (SELECT n.id FROM jobs n WHERE n.id > %(after)s AND n.deleted_at = 0 ORDER BY n.id LIMIT %(rows)s) n STRAIGHT_JOIN stats s
   ON s.resolution = d.resolution AND s.start_at = d.start_at AND s.job_id = n.id AND s.is_part = 0
   UNION ALL
   SELECT -1, j.id, v.created_at, CASE WHEN c.state = 'active' THEN 1 ELSE 0 END,
          CASE WHEN c.next_due_at IS NOT NULL OR j.from_end <> 0 THEN 1 ELSE 0 END,
          CASE WHEN EXISTS (
            SELECT 1 FROM skips k WHERE k.job_id = j.id AND k.to_at >= %(excused_since)s
              AND k.reason IN ('calendar', 'blackout', 'paused', 'edited')
          ) THEN 1 ELSE 0 END,
          0, 0, 0, 0, j.namespace, j.name, NULL
   FROM jobs j JOIN cursors c ON c.job_id = j.id JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
JOIN (SELECT n.id FROM jobs n WHERE n.id > %(after)s AND n.deleted_at = 0 ORDER BY n.id LIMIT %(rows)s) n ON n.id = j.id
   UNION ALL
   SELECT -2, a.job_id, a.began_at, a.id, a.quiet, 0, a.seen_at, 0, 0, 0, a.kind, a.facts, NULL
   FROM anomalies a WHERE a.is_open = 1 AND a.job_id > %(after)s AND a.job_id <= (SELECT max(p.id) FROM (SELECT n.id FROM jobs n WHERE n.id > %(after)s AND n.deleted_at = 0 ORDER BY n.id LIMIT %(rows)s) p);

-- statistics/anomalies.py KEEP
   INSERT INTO anomalies (job_id, kind, is_open, began_at, seen_at, quiet, ended_at, facts)
   SELECT d.job_id, d.kind, d.is_open, d.began_at, d.seen_at, d.quiet, d.ended_at, d.facts FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (job_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, kind LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, is_open BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, began_at BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, seen_at BIGINT PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, quiet BIGINT PATH '$[5]' NULL ON EMPTY ERROR ON ERROR, ended_at BIGINT PATH '$[6]' NULL ON EMPTY ERROR ON ERROR, facts LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[7]' NULL ON EMPTY ERROR ON ERROR)) AS d WHERE true
ON DUPLICATE KEY UPDATE is_open = VALUES(is_open), seen_at = VALUES(seen_at), quiet = VALUES(quiet), ended_at = VALUES(ended_at), facts = VALUES(facts);

-- statistics/anomalies.py OLDEST
SELECT id FROM anomalies WHERE seen_at < %(before)s ORDER BY seen_at LIMIT %(rows)s;

-- statistics/anomalies.py DELETE
DELETE anomalies FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN anomalies ON anomalies.id = d.id WHERE true;

-- statistics/anomalies.py LISTED
   SELECT a.id, a.job_id, a.kind, a.began_at, a.seen_at, a.quiet, a.ended_at, a.facts, j.namespace, j.name FROM anomalies a JOIN jobs j ON j.id = a.job_id
   WHERE a.id < %(before_id)s AND a.seen_at >= %(since)s AND a.began_at < %(until)s
ORDER BY a.id DESC LIMIT %(rows)s;

-- statistics/anomalies.py LISTED_OF_JOB
   SELECT a.id, a.job_id, a.kind, a.began_at, a.seen_at, a.quiet, a.ended_at, a.facts, j.namespace, j.name FROM anomalies a JOIN jobs j ON j.id = a.job_id
   WHERE a.id < %(before_id)s AND a.seen_at >= %(since)s AND a.began_at < %(until)s
AND a.job_id = %(job_id)s ORDER BY a.id DESC LIMIT %(rows)s;

-- statistics/figure_rows.py FIRST
INSERT INTO stats_progress (id, ver, counted_id)
SELECT d.id, 0, 0 FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d WHERE true ON DUPLICATE KEY UPDATE stats_progress.id = stats_progress.id;

-- statistics/figure_rows.py MOVE
UPDATE stats_progress SET ver = ver + 1, counted_id = %(counted_id)s WHERE id = 1 AND ver = %(seen)s;

-- statistics/figure_rows.py THERE
SELECT s.start_at, s.resolution, s.job_id, s.is_part, s.node, s.runs, s.succeeded, s.failed, s.retries, s.last_at, s.took, s.took_us, s.took_max_us, s.took_sketch, s.delays, s.delay_us, s.delay_max_us, s.delay_sketch, s.kinds FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (start_at BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, resolution BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, job_id BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, is_part BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, node LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN stats s ON s.resolution = d.resolution AND s.start_at = d.start_at AND s.job_id = d.job_id AND s.is_part = d.is_part AND s.node = d.node;

-- statistics/figure_rows.py CHANGE
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (start_at BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, resolution BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, job_id BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, is_part BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, node LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, runs BIGINT PATH '$[5]' NULL ON EMPTY ERROR ON ERROR, succeeded BIGINT PATH '$[6]' NULL ON EMPTY ERROR ON ERROR, failed BIGINT PATH '$[7]' NULL ON EMPTY ERROR ON ERROR, retries BIGINT PATH '$[8]' NULL ON EMPTY ERROR ON ERROR, last_at BIGINT PATH '$[9]' NULL ON EMPTY ERROR ON ERROR, took BIGINT PATH '$[10]' NULL ON EMPTY ERROR ON ERROR, took_us BIGINT PATH '$[11]' NULL ON EMPTY ERROR ON ERROR, took_max_us BIGINT PATH '$[12]' NULL ON EMPTY ERROR ON ERROR, took_sketch LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[13]' NULL ON EMPTY ERROR ON ERROR, delays BIGINT PATH '$[14]' NULL ON EMPTY ERROR ON ERROR, delay_us BIGINT PATH '$[15]' NULL ON EMPTY ERROR ON ERROR, delay_max_us BIGINT PATH '$[16]' NULL ON EMPTY ERROR ON ERROR, delay_sketch LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[17]' NULL ON EMPTY ERROR ON ERROR, kinds LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[18]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN stats SET stats.runs = d.runs, stats.succeeded = d.succeeded, stats.failed = d.failed, stats.retries = d.retries, stats.last_at = d.last_at, stats.took = d.took, stats.took_us = d.took_us, stats.took_max_us = d.took_max_us, stats.took_sketch = d.took_sketch, stats.delays = d.delays, stats.delay_us = d.delay_us, stats.delay_max_us = d.delay_max_us, stats.delay_sketch = d.delay_sketch, stats.kinds = d.kinds WHERE stats.resolution = d.resolution AND stats.start_at = d.start_at AND stats.job_id = d.job_id AND stats.is_part = d.is_part AND stats.node = d.node;

-- statistics/figure_rows.py INSERT
INSERT INTO stats (start_at, resolution, job_id, is_part, node, runs, succeeded, failed, retries, last_at, took, took_us, took_max_us, took_sketch, delays, delay_us, delay_max_us, delay_sketch, kinds) SELECT d.start_at, d.resolution, d.job_id, d.is_part, d.node, d.runs, d.succeeded, d.failed, d.retries, d.last_at, d.took, d.took_us, d.took_max_us, d.took_sketch, d.delays, d.delay_us, d.delay_max_us, d.delay_sketch, d.kinds FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (start_at BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, resolution BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, job_id BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, is_part BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, node LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, runs BIGINT PATH '$[5]' NULL ON EMPTY ERROR ON ERROR, succeeded BIGINT PATH '$[6]' NULL ON EMPTY ERROR ON ERROR, failed BIGINT PATH '$[7]' NULL ON EMPTY ERROR ON ERROR, retries BIGINT PATH '$[8]' NULL ON EMPTY ERROR ON ERROR, last_at BIGINT PATH '$[9]' NULL ON EMPTY ERROR ON ERROR, took BIGINT PATH '$[10]' NULL ON EMPTY ERROR ON ERROR, took_us BIGINT PATH '$[11]' NULL ON EMPTY ERROR ON ERROR, took_max_us BIGINT PATH '$[12]' NULL ON EMPTY ERROR ON ERROR, took_sketch LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[13]' NULL ON EMPTY ERROR ON ERROR, delays BIGINT PATH '$[14]' NULL ON EMPTY ERROR ON ERROR, delay_us BIGINT PATH '$[15]' NULL ON EMPTY ERROR ON ERROR, delay_max_us BIGINT PATH '$[16]' NULL ON EMPTY ERROR ON ERROR, delay_sketch LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[17]' NULL ON EMPTY ERROR ON ERROR, kinds LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[18]' NULL ON EMPTY ERROR ON ERROR)) AS d;

-- statistics/figure_rows.py DELETE_LEFT
DELETE stats_left FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN stats_left ON stats_left.first_id = d.id WHERE true;

-- statistics/figure_rows.py INSERT_LEFT
INSERT INTO stats_left (first_id, run_ids, left_at, look_at)
SELECT d.first_id, d.run_ids, d.left_at, d.look_at FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (first_id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, run_ids LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, left_at BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, look_at BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR)) AS d;

-- statistics/figure_rows.py OLDEST
SELECT start_at, job_id FROM stats WHERE resolution = %(resolution)s AND start_at < %(before)s
ORDER BY resolution, start_at, job_id LIMIT 1 OFFSET %(rows)s;

-- statistics/figure_rows.py DELETE
DELETE FROM stats WHERE resolution = %(resolution)s AND start_at <= %(start_at)s
  AND (start_at < %(start_at)s OR job_id <= %(job_id)s);

-- statistics/figure_rows.py DELETE_REST
DELETE FROM stats WHERE resolution = %(resolution)s AND start_at < %(before)s;

-- statistics/node_loads.py INSERT
INSERT INTO node_loads (resolution, start_at, node, kind, samples, online, warning, offline, scheduled, skipped, leased, cpu_count, memory_count, disk_count, score_count, threads_count, running_count, slots_count, cpu_sum, memory_sum, disk_sum, score_sum, threads_sum, running_sum, slots_sum, cpu_max, memory_max, disk_max, score_max, threads_max, running_max, slots_max)
SELECT d.resolution, d.start_at, d.node, d.kind, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (resolution BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, start_at BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, node LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, kind LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]' NULL ON EMPTY ERROR ON ERROR)) AS d
WHERE true ON DUPLICATE KEY UPDATE node_loads.resolution = node_loads.resolution;

-- statistics/node_loads.py ADD
UPDATE JSON_TABLE(%(d)s, '$[*]' COLUMNS (resolution BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, start_at BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, node LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, kind LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, samples BIGINT PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, online BIGINT PATH '$[5]' NULL ON EMPTY ERROR ON ERROR, warning BIGINT PATH '$[6]' NULL ON EMPTY ERROR ON ERROR, offline BIGINT PATH '$[7]' NULL ON EMPTY ERROR ON ERROR, scheduled BIGINT PATH '$[8]' NULL ON EMPTY ERROR ON ERROR, skipped BIGINT PATH '$[9]' NULL ON EMPTY ERROR ON ERROR, leased BIGINT PATH '$[10]' NULL ON EMPTY ERROR ON ERROR, cpu_count BIGINT PATH '$[11]' NULL ON EMPTY ERROR ON ERROR, memory_count BIGINT PATH '$[12]' NULL ON EMPTY ERROR ON ERROR, disk_count BIGINT PATH '$[13]' NULL ON EMPTY ERROR ON ERROR, score_count BIGINT PATH '$[14]' NULL ON EMPTY ERROR ON ERROR, threads_count BIGINT PATH '$[15]' NULL ON EMPTY ERROR ON ERROR, running_count BIGINT PATH '$[16]' NULL ON EMPTY ERROR ON ERROR, slots_count BIGINT PATH '$[17]' NULL ON EMPTY ERROR ON ERROR, cpu_sum BIGINT PATH '$[18]' NULL ON EMPTY ERROR ON ERROR, memory_sum BIGINT PATH '$[19]' NULL ON EMPTY ERROR ON ERROR, disk_sum BIGINT PATH '$[20]' NULL ON EMPTY ERROR ON ERROR, score_sum BIGINT PATH '$[21]' NULL ON EMPTY ERROR ON ERROR, threads_sum BIGINT PATH '$[22]' NULL ON EMPTY ERROR ON ERROR, running_sum BIGINT PATH '$[23]' NULL ON EMPTY ERROR ON ERROR, slots_sum BIGINT PATH '$[24]' NULL ON EMPTY ERROR ON ERROR, cpu_max BIGINT PATH '$[25]' NULL ON EMPTY ERROR ON ERROR, memory_max BIGINT PATH '$[26]' NULL ON EMPTY ERROR ON ERROR, disk_max BIGINT PATH '$[27]' NULL ON EMPTY ERROR ON ERROR, score_max BIGINT PATH '$[28]' NULL ON EMPTY ERROR ON ERROR, threads_max BIGINT PATH '$[29]' NULL ON EMPTY ERROR ON ERROR, running_max BIGINT PATH '$[30]' NULL ON EMPTY ERROR ON ERROR, slots_max BIGINT PATH '$[31]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN node_loads SET node_loads.samples = node_loads.samples + d.samples, node_loads.online = node_loads.online + d.online, node_loads.warning = node_loads.warning + d.warning, node_loads.offline = node_loads.offline + d.offline, node_loads.scheduled = node_loads.scheduled + d.scheduled, node_loads.skipped = node_loads.skipped + d.skipped, node_loads.leased = node_loads.leased + d.leased, node_loads.cpu_count = node_loads.cpu_count + d.cpu_count, node_loads.memory_count = node_loads.memory_count + d.memory_count, node_loads.disk_count = node_loads.disk_count + d.disk_count, node_loads.score_count = node_loads.score_count + d.score_count, node_loads.threads_count = node_loads.threads_count + d.threads_count, node_loads.running_count = node_loads.running_count + d.running_count, node_loads.slots_count = node_loads.slots_count + d.slots_count, node_loads.cpu_sum = node_loads.cpu_sum + d.cpu_sum, node_loads.memory_sum = node_loads.memory_sum + d.memory_sum, node_loads.disk_sum = node_loads.disk_sum + d.disk_sum, node_loads.score_sum = node_loads.score_sum + d.score_sum, node_loads.threads_sum = node_loads.threads_sum + d.threads_sum, node_loads.running_sum = node_loads.running_sum + d.running_sum, node_loads.slots_sum = node_loads.slots_sum + d.slots_sum, node_loads.cpu_max = CASE WHEN d.cpu_max > node_loads.cpu_max THEN d.cpu_max ELSE node_loads.cpu_max END, node_loads.memory_max = CASE WHEN d.memory_max > node_loads.memory_max THEN d.memory_max ELSE node_loads.memory_max END, node_loads.disk_max = CASE WHEN d.disk_max > node_loads.disk_max THEN d.disk_max ELSE node_loads.disk_max END, node_loads.score_max = CASE WHEN d.score_max > node_loads.score_max THEN d.score_max ELSE node_loads.score_max END, node_loads.threads_max = CASE WHEN d.threads_max > node_loads.threads_max THEN d.threads_max ELSE node_loads.threads_max END, node_loads.running_max = CASE WHEN d.running_max > node_loads.running_max THEN d.running_max ELSE node_loads.running_max END, node_loads.slots_max = CASE WHEN d.slots_max > node_loads.slots_max THEN d.slots_max ELSE node_loads.slots_max END WHERE node_loads.resolution = d.resolution AND node_loads.start_at = d.start_at AND node_loads.node = d.node;

-- statistics/node_loads.py FIRST
INSERT INTO history_progress (subject, ver, at, after_id, noted)
SELECT d.subject, 0, 0, 0, NULL FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (subject LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d WHERE true ON DUPLICATE KEY UPDATE history_progress.subject = history_progress.subject;

-- statistics/node_loads.py MOVE
UPDATE history_progress SET ver = ver + 1, at = %(minute)s, noted = %(noted)s
WHERE subject = 'load' AND at = %(since)s;

-- statistics/node_loads.py PROGRESS
SELECT at, noted FROM history_progress WHERE subject = 'load';

-- statistics/node_loads.py OF_NODE
SELECT s.start_at, s.kind, s.samples, s.online, s.warning, s.offline, s.scheduled, s.skipped, s.leased, s.cpu_count, s.memory_count, s.disk_count, s.score_count, s.threads_count, s.running_count, s.slots_count, s.cpu_sum, s.memory_sum, s.disk_sum, s.score_sum, s.threads_sum, s.running_sum, s.slots_sum, s.cpu_max, s.memory_max, s.disk_max, s.score_max, s.threads_max, s.running_max, s.slots_max FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (start_at BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN node_loads s
ON s.resolution = %(resolution)s AND s.start_at = d.start_at AND s.node = %(node)s;

-- statistics/node_loads.py OF_ALL
SELECT s.node, max(s.kind) AS kind, sum(s.samples) AS samples, sum(s.online) AS online, sum(s.warning) AS warning, sum(s.offline) AS offline, sum(s.scheduled) AS scheduled, sum(s.skipped) AS skipped, sum(s.leased) AS leased, sum(s.cpu_count) AS cpu_count, sum(s.memory_count) AS memory_count, sum(s.disk_count) AS disk_count, sum(s.score_count) AS score_count, sum(s.threads_count) AS threads_count, sum(s.running_count) AS running_count, sum(s.slots_count) AS slots_count, sum(s.cpu_sum) AS cpu_sum, sum(s.memory_sum) AS memory_sum, sum(s.disk_sum) AS disk_sum, sum(s.score_sum) AS score_sum, sum(s.threads_sum) AS threads_sum, sum(s.running_sum) AS running_sum, sum(s.slots_sum) AS slots_sum, max(s.cpu_max) AS cpu_max, max(s.memory_max) AS memory_max, max(s.disk_max) AS disk_max, max(s.score_max) AS score_max, max(s.threads_max) AS threads_max, max(s.running_max) AS running_max, max(s.slots_max) AS slots_max FROM node_loads s
WHERE s.resolution = %(resolution)s AND s.start_at >= %(from_at)s AND s.start_at < %(to_at)s
GROUP BY s.node ORDER BY s.node LIMIT %(rows)s;

-- statistics/node_loads.py OLDEST
SELECT start_at FROM node_loads WHERE resolution = %(resolution)s AND start_at < %(before)s
ORDER BY resolution, start_at LIMIT 1 OFFSET %(rows)s;

-- statistics/node_loads.py DELETE
DELETE FROM node_loads WHERE resolution = %(resolution)s AND start_at < %(before)s;

-- statistics/ranges.py OF_JOB
SELECT s.start_at, s.resolution, s.job_id, s.is_part, s.node, s.runs, s.succeeded, s.failed, s.retries, s.last_at, s.took, s.took_us, s.took_max_us, s.took_sketch, s.delays, s.delay_us, s.delay_max_us, s.delay_sketch, s.kinds FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (start_at BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN stats s
ON s.resolution = %(resolution)s AND s.start_at = d.start_at AND s.job_id = %(job_id)s LIMIT %(rows)s;

-- statistics/ranges.py OF_NODE
SELECT s.start_at, s.resolution, s.job_id, s.is_part, s.node, s.runs, s.succeeded, s.failed, s.retries, s.last_at, s.took, s.took_us, s.took_max_us, s.took_sketch, s.delays, s.delay_us, s.delay_max_us, s.delay_sketch, s.kinds FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (start_at BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN stats s
ON s.resolution = %(resolution)s AND s.start_at = d.start_at AND s.job_id = 0 AND s.is_part = 0
   AND s.node = %(node)s;

-- statistics/ranges.py PACES
SELECT s.job_id, s.node, s.start_at, s.succeeded, s.failed, s.took, s.took_us, s.delays, s.delay_us
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (start_at BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, job_id BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN stats s
ON s.resolution = 1 AND s.start_at = d.start_at AND s.job_id = d.job_id
WHERE s.took > 0 AND s.node > '';

-- statistics/ranges.py SLOT_TIMES
SELECT s.job_id, sum(CASE WHEN s.is_part = 0 THEN s.runs ELSE 0 END) AS runs,
       sum(CASE WHEN s.node > '' THEN s.took_us ELSE 0 END) AS busy_us
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (start_at BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, job_id BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN stats s
ON s.resolution = 2 AND s.start_at = d.start_at AND s.job_id = d.job_id
GROUP BY s.job_id;

-- statistics/report_facts.py JOBS.own
SELECT q.*, j.namespace, j.name FROM (
  SELECT f.job_id, f.runs_now, f.succeeded_now, f.failed_now, f.retries_now, f.took_now, f.took_us_now, f.took_max_us_now, f.delays_now, f.delay_us_now, f.delay_max_us_now, f.runs_before, f.succeeded_before, f.failed_before, f.retries_before, f.took_before, f.took_us_before, f.took_max_us_before, f.delays_before, f.delay_us_before, f.delay_max_us_before, sum(f.runs_now) OVER () AS all_runs_now, sum(f.succeeded_now) OVER () AS all_succeeded_now, sum(f.failed_now) OVER () AS all_failed_now, sum(f.retries_now) OVER () AS all_retries_now, sum(f.took_now) OVER () AS all_took_now, sum(f.took_us_now) OVER () AS all_took_us_now, max(f.took_max_us_now) OVER () AS all_took_max_us_now, sum(f.delays_now) OVER () AS all_delays_now, sum(f.delay_us_now) OVER () AS all_delay_us_now, max(f.delay_max_us_now) OVER () AS all_delay_max_us_now, sum(f.runs_before) OVER () AS all_runs_before, sum(f.succeeded_before) OVER () AS all_succeeded_before, sum(f.failed_before) OVER () AS all_failed_before, sum(f.retries_before) OVER () AS all_retries_before, sum(f.took_before) OVER () AS all_took_before, sum(f.took_us_before) OVER () AS all_took_us_before, max(f.took_max_us_before) OVER () AS all_took_max_us_before, sum(f.delays_before) OVER () AS all_delays_before, sum(f.delay_us_before) OVER () AS all_delay_us_before, max(f.delay_max_us_before) OVER () AS all_delay_max_us_before,
    sum(CASE WHEN f.runs_now > 0 THEN 1 ELSE 0 END) OVER () AS ran_now,
    sum(CASE WHEN f.runs_before > 0 THEN 1 ELSE 0 END) OVER () AS ran_before, row_number() OVER (ORDER BY f.failed_now DESC, f.job_id) AS by_failing, row_number() OVER (ORDER BY f.took_us_now / CASE WHEN f.took_now > 0 THEN f.took_now ELSE 1 END DESC, f.job_id) AS by_slow, row_number() OVER (ORDER BY f.delay_us_now / CASE WHEN f.delays_now > 0 THEN f.delays_now ELSE 1 END DESC, f.job_id) AS by_late, row_number() OVER (ORDER BY CASE WHEN f.runs_before > 0 THEN f.took_us_now - f.took_us_before ELSE 0 END DESC, f.job_id) AS by_grown
  FROM (
    SELECT s.job_id, sum(CASE WHEN d.period = 0 THEN s.runs ELSE 0 END) AS runs_now, sum(CASE WHEN d.period = 0 THEN s.succeeded ELSE 0 END) AS succeeded_now, sum(CASE WHEN d.period = 0 THEN s.failed ELSE 0 END) AS failed_now, sum(CASE WHEN d.period = 0 THEN s.retries ELSE 0 END) AS retries_now, sum(CASE WHEN d.period = 0 THEN s.took ELSE 0 END) AS took_now, sum(CASE WHEN d.period = 0 THEN s.took_us ELSE 0 END) AS took_us_now, max(CASE WHEN d.period = 0 THEN s.took_max_us ELSE 0 END) AS took_max_us_now, sum(CASE WHEN d.period = 0 THEN s.delays ELSE 0 END) AS delays_now, sum(CASE WHEN d.period = 0 THEN s.delay_us ELSE 0 END) AS delay_us_now, max(CASE WHEN d.period = 0 THEN s.delay_max_us ELSE 0 END) AS delay_max_us_now, sum(CASE WHEN d.period = 1 THEN s.runs ELSE 0 END) AS runs_before, sum(CASE WHEN d.period = 1 THEN s.succeeded ELSE 0 END) AS succeeded_before, sum(CASE WHEN d.period = 1 THEN s.failed ELSE 0 END) AS failed_before, sum(CASE WHEN d.period = 1 THEN s.retries ELSE 0 END) AS retries_before, sum(CASE WHEN d.period = 1 THEN s.took ELSE 0 END) AS took_before, sum(CASE WHEN d.period = 1 THEN s.took_us ELSE 0 END) AS took_us_before, max(CASE WHEN d.period = 1 THEN s.took_max_us ELSE 0 END) AS took_max_us_before, sum(CASE WHEN d.period = 1 THEN s.delays ELSE 0 END) AS delays_before, sum(CASE WHEN d.period = 1 THEN s.delay_us ELSE 0 END) AS delay_us_before, max(CASE WHEN d.period = 1 THEN s.delay_max_us ELSE 0 END) AS delay_max_us_before FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (period BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, resolution BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, start_at BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN stats s
    ON s.resolution = d.resolution AND s.start_at = d.start_at AND s.job_id > 0
    WHERE s.is_part = 0 AND s.job_id IN (SELECT own.id FROM jobs own WHERE own.namespace = %(namespace)s AND length(own.namespace) = length(%(namespace)s))
    GROUP BY s.job_id
  ) f
) q JOIN jobs j ON j.id = q.job_id
WHERE q.by_failing <= %(top)s OR q.by_slow <= %(top)s OR q.by_late <= %(top)s OR q.by_grown <= %(top)s;

-- statistics/report_facts.py JOBS.every
SELECT q.*, j.namespace, j.name FROM (
  SELECT f.job_id, f.runs_now, f.succeeded_now, f.failed_now, f.retries_now, f.took_now, f.took_us_now, f.took_max_us_now, f.delays_now, f.delay_us_now, f.delay_max_us_now, f.runs_before, f.succeeded_before, f.failed_before, f.retries_before, f.took_before, f.took_us_before, f.took_max_us_before, f.delays_before, f.delay_us_before, f.delay_max_us_before, sum(f.runs_now) OVER () AS all_runs_now, sum(f.succeeded_now) OVER () AS all_succeeded_now, sum(f.failed_now) OVER () AS all_failed_now, sum(f.retries_now) OVER () AS all_retries_now, sum(f.took_now) OVER () AS all_took_now, sum(f.took_us_now) OVER () AS all_took_us_now, max(f.took_max_us_now) OVER () AS all_took_max_us_now, sum(f.delays_now) OVER () AS all_delays_now, sum(f.delay_us_now) OVER () AS all_delay_us_now, max(f.delay_max_us_now) OVER () AS all_delay_max_us_now, sum(f.runs_before) OVER () AS all_runs_before, sum(f.succeeded_before) OVER () AS all_succeeded_before, sum(f.failed_before) OVER () AS all_failed_before, sum(f.retries_before) OVER () AS all_retries_before, sum(f.took_before) OVER () AS all_took_before, sum(f.took_us_before) OVER () AS all_took_us_before, max(f.took_max_us_before) OVER () AS all_took_max_us_before, sum(f.delays_before) OVER () AS all_delays_before, sum(f.delay_us_before) OVER () AS all_delay_us_before, max(f.delay_max_us_before) OVER () AS all_delay_max_us_before,
    sum(CASE WHEN f.runs_now > 0 THEN 1 ELSE 0 END) OVER () AS ran_now,
    sum(CASE WHEN f.runs_before > 0 THEN 1 ELSE 0 END) OVER () AS ran_before, row_number() OVER (ORDER BY f.failed_now DESC, f.job_id) AS by_failing, row_number() OVER (ORDER BY f.took_us_now / CASE WHEN f.took_now > 0 THEN f.took_now ELSE 1 END DESC, f.job_id) AS by_slow, row_number() OVER (ORDER BY f.delay_us_now / CASE WHEN f.delays_now > 0 THEN f.delays_now ELSE 1 END DESC, f.job_id) AS by_late, row_number() OVER (ORDER BY CASE WHEN f.runs_before > 0 THEN f.took_us_now - f.took_us_before ELSE 0 END DESC, f.job_id) AS by_grown
  FROM (
    SELECT s.job_id, sum(CASE WHEN d.period = 0 THEN s.runs ELSE 0 END) AS runs_now, sum(CASE WHEN d.period = 0 THEN s.succeeded ELSE 0 END) AS succeeded_now, sum(CASE WHEN d.period = 0 THEN s.failed ELSE 0 END) AS failed_now, sum(CASE WHEN d.period = 0 THEN s.retries ELSE 0 END) AS retries_now, sum(CASE WHEN d.period = 0 THEN s.took ELSE 0 END) AS took_now, sum(CASE WHEN d.period = 0 THEN s.took_us ELSE 0 END) AS took_us_now, max(CASE WHEN d.period = 0 THEN s.took_max_us ELSE 0 END) AS took_max_us_now, sum(CASE WHEN d.period = 0 THEN s.delays ELSE 0 END) AS delays_now, sum(CASE WHEN d.period = 0 THEN s.delay_us ELSE 0 END) AS delay_us_now, max(CASE WHEN d.period = 0 THEN s.delay_max_us ELSE 0 END) AS delay_max_us_now, sum(CASE WHEN d.period = 1 THEN s.runs ELSE 0 END) AS runs_before, sum(CASE WHEN d.period = 1 THEN s.succeeded ELSE 0 END) AS succeeded_before, sum(CASE WHEN d.period = 1 THEN s.failed ELSE 0 END) AS failed_before, sum(CASE WHEN d.period = 1 THEN s.retries ELSE 0 END) AS retries_before, sum(CASE WHEN d.period = 1 THEN s.took ELSE 0 END) AS took_before, sum(CASE WHEN d.period = 1 THEN s.took_us ELSE 0 END) AS took_us_before, max(CASE WHEN d.period = 1 THEN s.took_max_us ELSE 0 END) AS took_max_us_before, sum(CASE WHEN d.period = 1 THEN s.delays ELSE 0 END) AS delays_before, sum(CASE WHEN d.period = 1 THEN s.delay_us ELSE 0 END) AS delay_us_before, max(CASE WHEN d.period = 1 THEN s.delay_max_us ELSE 0 END) AS delay_max_us_before FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (period BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, resolution BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, start_at BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN stats s
    ON s.resolution = d.resolution AND s.start_at = d.start_at AND s.job_id > 0
    WHERE s.is_part = 0
    GROUP BY s.job_id
  ) f
) q JOIN jobs j ON j.id = q.job_id
WHERE q.by_failing <= %(top)s OR q.by_slow <= %(top)s OR q.by_late <= %(top)s OR q.by_grown <= %(top)s;

-- statistics/report_facts.py FIGURES
SELECT s.start_at, s.resolution, s.job_id, s.is_part, s.node, s.runs, s.succeeded, s.failed, s.retries, s.last_at, s.took, s.took_us, s.took_max_us, s.took_sketch, s.delays, s.delay_us, s.delay_max_us, s.delay_sketch, s.kinds FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (resolution BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, start_at BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, job_id BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN stats s
ON s.resolution = d.resolution AND s.start_at = d.start_at AND s.job_id = d.job_id AND s.is_part = 0;

-- statistics/report_facts.py CROWDED
SELECT s.start_at FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (start_at BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN stats s
ON s.resolution = %(resolution)s AND s.start_at = d.start_at AND s.job_id = 0 AND s.is_part = 0
   AND s.node = ''
ORDER BY s.runs DESC, s.start_at LIMIT %(rows)s;

-- statistics/report_facts.py CROWD.own
SELECT s.start_at, sum(s.runs) AS runs, count(DISTINCT s.job_id) AS jobs, max(s.delay_max_us) AS delay_max_us
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (start_at BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN stats s
ON s.resolution = %(resolution)s AND s.start_at = d.start_at AND s.job_id > 0
WHERE s.is_part = 0 AND s.job_id IN (SELECT own.id FROM jobs own WHERE own.namespace = %(namespace)s AND length(own.namespace) = length(%(namespace)s))
GROUP BY s.start_at ORDER BY runs DESC, s.start_at LIMIT %(rows)s;

-- statistics/report_facts.py CROWD.every
SELECT s.start_at, sum(s.runs) AS runs, count(DISTINCT s.job_id) AS jobs, max(s.delay_max_us) AS delay_max_us
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (start_at BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN stats s
ON s.resolution = %(resolution)s AND s.start_at = d.start_at AND s.job_id > 0
WHERE s.is_part = 0
GROUP BY s.start_at ORDER BY runs DESC, s.start_at LIMIT %(rows)s;

-- statistics/report_facts.py NODES.own
SELECT s.node, sum(s.runs) AS runs, sum(s.failed) AS failed, sum(s.took_us) AS took_us
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (period BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, resolution BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, start_at BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN stats s
ON s.resolution = d.resolution AND s.start_at = d.start_at AND s.job_id > 0
WHERE d.period = 0 AND s.node > '' AND s.job_id IN (SELECT own.id FROM jobs own WHERE own.namespace = %(namespace)s AND length(own.namespace) = length(%(namespace)s))
GROUP BY s.node ORDER BY took_us DESC, s.node LIMIT %(rows)s;

-- statistics/report_facts.py NODES.every
SELECT s.node, sum(s.runs) AS runs, sum(s.failed) AS failed, sum(s.took_us) AS took_us
FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (period BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, resolution BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, start_at BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN stats s
ON s.resolution = d.resolution AND s.start_at = d.start_at AND s.job_id = 0
WHERE d.period = 0 AND s.node > ''
GROUP BY s.node ORDER BY took_us DESC, s.node LIMIT %(rows)s;

-- statistics/report_facts.py LOADS
SELECT s.node, max(s.kind) AS kind, sum(s.samples) AS samples, sum(s.online) AS online, sum(s.warning) AS warning, sum(s.offline) AS offline, sum(s.scheduled) AS scheduled, sum(s.skipped) AS skipped, sum(s.leased) AS leased, sum(s.cpu_count) AS cpu_count, sum(s.memory_count) AS memory_count, sum(s.disk_count) AS disk_count, sum(s.score_count) AS score_count, sum(s.threads_count) AS threads_count, sum(s.running_count) AS running_count, sum(s.slots_count) AS slots_count, sum(s.cpu_sum) AS cpu_sum, sum(s.memory_sum) AS memory_sum, sum(s.disk_sum) AS disk_sum, sum(s.score_sum) AS score_sum, sum(s.threads_sum) AS threads_sum, sum(s.running_sum) AS running_sum, sum(s.slots_sum) AS slots_sum, max(s.cpu_max) AS cpu_max, max(s.memory_max) AS memory_max, max(s.disk_max) AS disk_max, max(s.score_max) AS score_max, max(s.threads_max) AS threads_max, max(s.running_max) AS running_max, max(s.slots_max) AS slots_max FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (period BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, resolution BIGINT PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, start_at BIGINT PATH '$[2]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN node_loads s
ON s.resolution = d.resolution AND s.start_at = d.start_at
WHERE d.period = 0 GROUP BY s.node ORDER BY s.node LIMIT %(rows)s;

-- statistics/report_facts.py SKIPS.own
    SELECT s.reason, sum(s.count * (
    CASE WHEN s.to_at = s.from_at THEN 1.0
         ELSE 1.0 * ((CASE WHEN s.to_at < %(until)s THEN s.to_at ELSE %(until)s END)
                     - (CASE WHEN s.from_at > %(since)s THEN s.from_at ELSE %(since)s END)) / (s.to_at - s.from_at) END
)) AS instants
    FROM jobs own STRAIGHT_JOIN skips s ON s.job_id = own.id AND s.to_at >= %(since)s
    WHERE s.from_at < %(until)s AND own.namespace = %(namespace)s AND length(own.namespace) = length(%(namespace)s) GROUP BY s.reason;

-- statistics/report_facts.py SKIPS.every
    SELECT s.reason, sum(s.count * (
    CASE WHEN s.to_at = s.from_at THEN 1.0
         ELSE 1.0 * ((CASE WHEN s.to_at < %(until)s THEN s.to_at ELSE %(until)s END)
                     - (CASE WHEN s.from_at > %(since)s THEN s.from_at ELSE %(since)s END)) / (s.to_at - s.from_at) END
)) AS instants
    FROM jobs own STRAIGHT_JOIN skips s ON s.job_id = own.id AND s.to_at >= %(since)s
    WHERE s.from_at < %(until)s  GROUP BY s.reason;

-- statistics/report_facts.py ALERT_COUNTS.own
SELECT q.level, sum(q.fired) AS fired, sum(q.still) AS still FROM (
  SELECT a.level, count(*) AS fired, 0 AS still FROM alerts a
  WHERE a.resolved_at >= %(since)s AND a.fired_at >= %(since)s AND a.fired_at < %(until)s AND a.namespace = %(namespace)s AND length(a.namespace) = length(%(namespace)s) GROUP BY a.level
  UNION ALL
  SELECT a.level, count(*) AS fired, count(*) AS still FROM alerts a
  WHERE a.resolved_at IS NULL AND a.fired_at >= %(since)s AND a.fired_at < %(until)s AND a.namespace = %(namespace)s AND length(a.namespace) = length(%(namespace)s) GROUP BY a.level
) q GROUP BY q.level;

-- statistics/report_facts.py ALERT_COUNTS.every
SELECT q.level, sum(q.fired) AS fired, sum(q.still) AS still FROM (
  SELECT a.level, count(*) AS fired, 0 AS still FROM alerts a
  WHERE a.resolved_at >= %(since)s AND a.fired_at >= %(since)s AND a.fired_at < %(until)s  GROUP BY a.level
  UNION ALL
  SELECT a.level, count(*) AS fired, count(*) AS still FROM alerts a
  WHERE a.resolved_at IS NULL AND a.fired_at >= %(since)s AND a.fired_at < %(until)s  GROUP BY a.level
) q GROUP BY q.level;

-- statistics/report_facts.py ALERTS.own
SELECT a.id, a.open_key, a.namespace, a.rule, a.kind, a.level, a.state, a.job_id, a.cause, a.channels, a.runbook, a.began_at, a.fired_at, a.last_at, a.resolved_at, a.acked_at, a.acked_by, a.ack_note, a.silence_id, a.step, a.escalates_from, a.told_at, a.acted, a.seen, a.ver, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id) AS subject_count, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id AND s.ended_at IS NULL) AS open_count FROM alerts a
WHERE (a.resolved_at >= %(since)s OR a.resolved_at IS NULL) AND a.fired_at >= %(since)s AND a.fired_at < %(until)s AND a.namespace = %(namespace)s AND length(a.namespace) = length(%(namespace)s)
ORDER BY CASE a.level WHEN 'critical' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END, a.id DESC LIMIT %(rows)s;

-- statistics/report_facts.py ALERTS.every
SELECT a.id, a.open_key, a.namespace, a.rule, a.kind, a.level, a.state, a.job_id, a.cause, a.channels, a.runbook, a.began_at, a.fired_at, a.last_at, a.resolved_at, a.acked_at, a.acked_by, a.ack_note, a.silence_id, a.step, a.escalates_from, a.told_at, a.acted, a.seen, a.ver, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id) AS subject_count, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id AND s.ended_at IS NULL) AS open_count FROM alerts a
WHERE (a.resolved_at >= %(since)s OR a.resolved_at IS NULL) AND a.fired_at >= %(since)s AND a.fired_at < %(until)s
ORDER BY CASE a.level WHEN 'critical' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END, a.id DESC LIMIT %(rows)s;

-- statistics/report_facts.py COUNT_OF_JOBS.own
SELECT count(*) AS jobs,
       coalesce(sum(CASE WHEN own.created_at >= %(since)s AND own.created_at < %(until)s THEN 1 ELSE 0 END), 0) AS fresh
FROM jobs own WHERE own.deleted_at = 0 AND own.namespace = %(namespace)s AND length(own.namespace) = length(%(namespace)s);

-- statistics/report_facts.py COUNT_OF_JOBS.every
SELECT count(*) AS jobs,
       coalesce(sum(CASE WHEN own.created_at >= %(since)s AND own.created_at < %(until)s THEN 1 ELSE 0 END), 0) AS fresh
FROM jobs own WHERE own.deleted_at = 0;

-- statistics/report_schedules.py ALL
SELECT namespace, name, version, document, next_at, last_at, updated_at, updated_by FROM report_schedules ORDER BY namespace, name LIMIT 1000;

-- statistics/report_schedules.py OF
SELECT namespace, name, version, document, next_at, last_at, updated_at, updated_by FROM report_schedules WHERE namespace = %(namespace)s AND length(namespace) = length(%(namespace)s) ORDER BY name LIMIT 1000;

-- statistics/report_schedules.py FIND
SELECT namespace, name, version, document, next_at, last_at, updated_at, updated_by FROM report_schedules WHERE namespace = %(namespace)s AND length(namespace) = length(%(namespace)s) AND name = %(name)s AND length(name) = length(%(name)s);

-- statistics/report_schedules.py ADD
INSERT INTO report_schedules (namespace, name, version, document, next_at, updated_at, updated_by, reason)
SELECT d.namespace, d.name, 1, d.document, d.next_at, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)), d.made_by, d.reason FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (namespace LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[0]' NULL ON EMPTY ERROR ON ERROR, name LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[1]' NULL ON EMPTY ERROR ON ERROR, document LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[2]' NULL ON EMPTY ERROR ON ERROR, next_at BIGINT PATH '$[3]' NULL ON EMPTY ERROR ON ERROR, made_by LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[4]' NULL ON EMPTY ERROR ON ERROR, reason LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PATH '$[5]' NULL ON EMPTY ERROR ON ERROR)) AS d WHERE true
ON DUPLICATE KEY UPDATE report_schedules.namespace = report_schedules.namespace;

-- statistics/report_schedules.py CHANGE
UPDATE report_schedules SET version = version + 1, document = %(document)s, next_at = %(next_at)s, updated_at = TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)),
                            updated_by = %(made_by)s, reason = %(reason)s
WHERE namespace = %(namespace)s AND length(namespace) = length(%(namespace)s) AND name = %(name)s AND length(name) = length(%(name)s);

-- statistics/report_schedules.py REMOVE
DELETE FROM report_schedules WHERE namespace = %(namespace)s AND length(namespace) = length(%(namespace)s) AND name = %(name)s AND length(name) = length(%(name)s);

-- statistics/report_schedules.py NEXT
SELECT min(next_at) FROM report_schedules WHERE next_at > 0;

-- statistics/report_schedules.py DUE
SELECT namespace, name, version, document, next_at, last_at, updated_at, updated_by FROM report_schedules WHERE next_at <= %(until)s ORDER BY next_at, namespace, name LIMIT %(rows)s;

-- statistics/report_schedules.py MOVE
UPDATE report_schedules SET next_at = %(next_at)s, last_at = %(last_at)s
WHERE namespace = %(namespace)s AND length(namespace) = length(%(namespace)s) AND name = %(name)s AND length(name) = length(%(name)s) AND next_at = %(seen)s AND version = %(version)s;

-- statistics/uncounted_runs.py PROGRESS
SELECT coalesce(max(p.ver), 0) AS ver, coalesce(max(p.counted_id), 0) AS counted_id,
       (SELECT coalesce(max(r.id), 0) FROM runs r) AS newest_id,
       (SELECT min(l.look_at) FROM stats_left l) AS look_at, TIMESTAMPDIFF(MICROSECOND, TIMESTAMP'1970-01-01 00:00:00', UTC_TIMESTAMP(6)) AS now_us
FROM stats_progress p WHERE p.id = 1;

-- statistics/uncounted_runs.py PASSED
SELECT q.id, q.job_id, q.is_part, n.name, q.state, q.kind, q.failures, q.not_before, q.created_at, q.started_at,
       q.ended_at, q.follow FROM (
  SELECT
r.id, r.job_id, CASE WHEN r.shard = -1 AND r.parent_id IS NULL THEN 0 ELSE 1 END AS is_part, r.state, r.kind,
r.failures, r.not_before, r.created_at, r.started_at, r.ended_at, r.session_id, r.follow FROM runs r WHERE r.id > %(after)s AND r.id <= %(until)s ORDER BY r.id LIMIT %(rows)s
) q LEFT JOIN nodes n ON n.id = q.session_id;

-- statistics/uncounted_runs.py FOUND
SELECT q.id, q.job_id, q.is_part, n.name, q.state, q.kind, q.failures, q.not_before, q.created_at, q.started_at,
       q.ended_at, q.follow FROM (
  SELECT
r.id, r.job_id, CASE WHEN r.shard = -1 AND r.parent_id IS NULL THEN 0 ELSE 1 END AS is_part, r.state, r.kind,
r.failures, r.not_before, r.created_at, r.started_at, r.ended_at, r.session_id, r.follow FROM JSON_TABLE(%(d)s, '$[*]' COLUMNS (id BIGINT PATH '$[0]' NULL ON EMPTY ERROR ON ERROR)) AS d STRAIGHT_JOIN runs r FORCE INDEX (PRIMARY) ON r.id = d.id WHERE true
) q LEFT JOIN nodes n ON n.id = q.session_id;

-- statistics/uncounted_runs.py UNCOUNTED
SELECT q.id, q.job_id, q.is_part, n.name, q.state, q.kind, q.failures, q.not_before, q.created_at, q.started_at,
       q.ended_at, q.follow FROM (
  SELECT
r.id, r.job_id, CASE WHEN r.shard = -1 AND r.parent_id IS NULL THEN 0 ELSE 1 END AS is_part, r.state, r.kind,
r.failures, r.not_before, r.created_at, r.started_at, r.ended_at, r.session_id, r.follow FROM runs r WHERE r.job_id = %(job_id)s AND r.id > %(after)s ORDER BY r.id DESC LIMIT %(rows)s
) q LEFT JOIN nodes n ON n.id = q.session_id;

-- statistics/uncounted_runs.py LEFT
SELECT first_id, run_ids, left_at, look_at FROM stats_left ORDER BY look_at LIMIT %(rows)s;

-- store.py _SETTINGS
SELECT @foliot_isolation, @@innodb_flush_log_at_trx_commit;
