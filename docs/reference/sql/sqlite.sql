-- Every statement of the store as sqlite gets it. Written by `make sql`: change the code, then run it.

-- alerts/alert_rows.py OF_IDS
SELECT a.id, a.open_key, a.namespace, a.rule, a.kind, a.level, a.state, a.job_id, a.cause, a.channels, a.runbook, a.began_at, a.fired_at, a.last_at, a.resolved_at, a.acked_at, a.acked_by, a.ack_note, a.silence_id, a.step, a.escalates_from, a.told_at, a.acted, a.seen, a.ver, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id) AS subject_count, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id AND s.ended_at IS NULL) AS open_count FROM alerts a WHERE a.id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d);

-- alerts/alert_rows.py SUBJECTS_OF
SELECT s.alert_id, s.subject_key, s.subject, s.namespace, s.job_id, s.run_id, s.count, s.first_at, s.last_at, s.ended_at, s.recent, s.data FROM alert_subjects s WHERE s.alert_id = :alert ORDER BY s.subject_key LIMIT :rows;

-- alerts/alert_rows.py FIRST_SUBJECTS
SELECT q.* FROM (
  SELECT s.alert_id, s.subject_key, s.subject, s.namespace, s.job_id, s.run_id, s.count, s.first_at, s.last_at, s.ended_at, s.recent, s.data, row_number() OVER (PARTITION BY s.alert_id ORDER BY s.subject_key) AS nth
  FROM alert_subjects s WHERE s.alert_id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d)
) q WHERE q.nth <= :most;

-- alerts/channels.py ALL
SELECT namespace, name, kind, version, document, updated_at, updated_by, last_sent_at, failures, failing_since, last_error FROM channels ORDER BY namespace, name LIMIT 1000;

-- alerts/channels.py OF
SELECT namespace, name, kind, version, document, updated_at, updated_by, last_sent_at, failures, failing_since, last_error FROM channels WHERE namespace = '' OR namespace = :namespace ORDER BY namespace, name LIMIT 1000;

-- alerts/channels.py FIND
SELECT namespace, name, kind, version, document, updated_at, updated_by, last_sent_at, failures, failing_since, last_error FROM channels WHERE name = :name AND (namespace = '' OR namespace = :namespace) ORDER BY namespace DESC LIMIT 1;

-- alerts/channels.py ADD
INSERT INTO channels (namespace, name, kind, version, document, updated_at, updated_by, reason, failures)
SELECT d.namespace, d.name, d.kind, 1, d.document, foliot_now(), d.made_by, d.reason, 0 FROM (SELECT json_extract(value, '$[0]') AS namespace, json_extract(value, '$[1]') AS name, json_extract(value, '$[2]') AS kind, json_extract(value, '$[3]') AS document, json_extract(value, '$[4]') AS made_by, json_extract(value, '$[5]') AS reason FROM json_each(:d)) AS d WHERE true
ON CONFLICT DO NOTHING;

-- alerts/channels.py CHANGE
UPDATE channels SET kind = :kind, version = version + 1, document = :document, updated_at = foliot_now(),
                    updated_by = :made_by, reason = :reason, failures = 0, failing_since = NULL, last_error = NULL
WHERE namespace = :namespace AND name = :name AND version = :version;

-- alerts/channels.py VERSION
SELECT version FROM channels WHERE namespace = :namespace AND name = :name;

-- alerts/channels.py REMOVE
DELETE FROM channels WHERE namespace = :namespace AND name = :name;

-- alerts/heartbeat_rows.py DOWN
SELECT h.id, h.namespace, h.name, h.version, h.document, h.is_paused, h.pings, h.last_at, h.last_kind, h.last_text, h.exit_code, h.ok_at, h.started_at, h.took_us, h.due_at, h.deadline_at, h.trouble, h.alarm_at, h.created_at, h.updated_at, h.updated_by, h.reason, foliot_now() AS now FROM heartbeats h WHERE h.alarm_at <= foliot_now() ORDER BY h.alarm_at, h.id LIMIT :rows;

-- alerts/heartbeats.py ALL
SELECT h.id, h.namespace, h.name, h.version, h.document, h.is_paused, h.pings, h.last_at, h.last_kind, h.last_text, h.exit_code, h.ok_at, h.started_at, h.took_us, h.due_at, h.deadline_at, h.trouble, h.alarm_at, h.created_at, h.updated_at, h.updated_by, h.reason, foliot_now() AS now FROM heartbeats h ORDER BY h.namespace, h.name LIMIT :rows;

-- alerts/heartbeats.py OF_NAMESPACE
SELECT h.id, h.namespace, h.name, h.version, h.document, h.is_paused, h.pings, h.last_at, h.last_kind, h.last_text, h.exit_code, h.ok_at, h.started_at, h.took_us, h.due_at, h.deadline_at, h.trouble, h.alarm_at, h.created_at, h.updated_at, h.updated_by, h.reason, foliot_now() AS now FROM heartbeats h WHERE h.namespace = :namespace ORDER BY h.name LIMIT :rows;

-- alerts/heartbeats.py ONE
SELECT h.id, h.namespace, h.name, h.version, h.document, h.is_paused, h.pings, h.last_at, h.last_kind, h.last_text, h.exit_code, h.ok_at, h.started_at, h.took_us, h.due_at, h.deadline_at, h.trouble, h.alarm_at, h.created_at, h.updated_at, h.updated_by, h.reason, foliot_now() AS now FROM heartbeats h WHERE h.namespace = :namespace AND h.name = :name;

-- alerts/heartbeats.py COUNT
SELECT count(*) FROM heartbeats;

-- alerts/heartbeats.py FIRST
INSERT INTO heartbeats (namespace, name, version, document, is_paused, pings, last_text, created_at, updated_at,
                            updated_by, reason)
SELECT d.namespace, d.name, 1, d.document, 0, 0, '', foliot_now(), foliot_now(), d.made_by, d.reason FROM (SELECT json_extract(value, '$[0]') AS namespace, json_extract(value, '$[1]') AS name, json_extract(value, '$[2]') AS document, json_extract(value, '$[3]') AS made_by, json_extract(value, '$[4]') AS reason FROM json_each(:d)) AS d WHERE true
ON CONFLICT DO NOTHING;

-- alerts/heartbeats.py NEXT
UPDATE heartbeats SET version = version + 1, document = :document, is_paused = :is_paused, started_at = :started_at,
                      due_at = :due_at, deadline_at = :deadline_at, trouble = :trouble, alarm_at = :alarm_at,
                      updated_at = foliot_now(), updated_by = :made_by, reason = :reason
WHERE id = :id AND version = :version AND pings = :pings;

-- alerts/heartbeats.py HEARD
UPDATE heartbeats SET pings = pings + 1, last_at = :last_at, last_kind = :last_kind, last_text = :last_text,
                      exit_code = :exit_code, ok_at = :ok_at, started_at = :started_at, took_us = :took_us,
                      due_at = :due_at, deadline_at = :deadline_at, trouble = :trouble, alarm_at = :alarm_at
WHERE id = :id AND version = :version AND pings = :pings;

-- alerts/heartbeats.py PINGED
INSERT INTO heartbeat_pings (heartbeat_id, number, at, kind, text, exit_code, took_us, made_by)
VALUES (:id, :number, :at, :kind, :text, :exit_code, :took_us, :made_by);

-- alerts/heartbeats.py FORGET
DELETE FROM heartbeat_pings WHERE heartbeat_id = :id AND number <= :last;

-- alerts/heartbeats.py PINGS
SELECT p.number, p.at, p.kind, p.text, p.exit_code, p.took_us, p.made_by
FROM heartbeat_pings p JOIN heartbeats h ON h.id = p.heartbeat_id
WHERE h.namespace = :namespace AND h.name = :name ORDER BY p.number DESC LIMIT :rows;

-- alerts/heartbeats.py WATCHED
SELECT h.id, h.namespace, h.name, h.version, h.document, h.is_paused, h.pings, h.last_at, h.last_kind, h.last_text, h.exit_code, h.ok_at, h.started_at, h.took_us, h.due_at, h.deadline_at, h.trouble, h.alarm_at, h.created_at, h.updated_at, h.updated_by, h.reason, foliot_now() AS now FROM heartbeats h
WHERE h.alarm_at >= :since AND h.trouble IS NULL AND h.is_paused = 0 ORDER BY h.alarm_at, h.id LIMIT :rows;

-- alerts/heartbeats.py EXCUSE
UPDATE heartbeats SET started_at = d.started_at, due_at = d.due_at, deadline_at = d.deadline_at,
                      alarm_at = d.alarm_at
FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS version, json_extract(value, '$[2]') AS pings, json_extract(value, '$[3]') AS started_at, json_extract(value, '$[4]') AS due_at, json_extract(value, '$[5]') AS deadline_at, json_extract(value, '$[6]') AS alarm_at FROM json_each(:d)) AS d WHERE heartbeats.id = d.id AND heartbeats.version = d.version AND heartbeats.pings = d.pings;

-- alerts/heartbeats.py REMOVE
DELETE FROM heartbeats WHERE id = :id;

-- alerts/looks.py MARKS
SELECT foliot_now() AS now,
  (SELECT count(*) FROM alert_rules) AS rules, (SELECT coalesce(max(updated_at), 0) FROM alert_rules) AS rules_at,
  (SELECT count(*) FROM silences WHERE until > foliot_now() AND ended_by IS NULL) AS silences,
  (SELECT coalesce(max(id), 0) FROM silences) AS silence_id,
  (SELECT count(*) FROM channels) AS channels, (SELECT coalesce(max(updated_at), 0) FROM channels) AS channels_at,
  (SELECT count(*) FROM job_alerts) AS jobs, (SELECT coalesce(max(saved_at), 0) FROM job_alerts) AS jobs_at,
  (SELECT count(*) FROM (SELECT 1 AS one FROM failure_signs LIMIT 1) s) AS signs,
  (SELECT count(*) FROM (SELECT 1 AS one FROM alerts WHERE resolved_at IS NULL LIMIT 1) a) AS known,
  (SELECT count(*) FROM (SELECT 1 AS one FROM heartbeats WHERE alarm_at <= foliot_now() LIMIT 1) h) AS down;

-- alerts/looks.py SIGNS
SELECT s.run_id, s.job_id, s.at, r.kind, r.error_type, r.error, n.name AS node
FROM failure_signs s LEFT JOIN runs r ON r.id = s.run_id LEFT JOIN nodes n ON n.id = r.session_id
ORDER BY s.run_id LIMIT :rows;

-- alerts/looks.py KNOWN
SELECT a.id, a.open_key, a.namespace, a.rule, a.kind, a.level, a.state, a.job_id, a.cause, a.channels, a.runbook, a.began_at, a.fired_at, a.last_at, a.resolved_at, a.acked_at, a.acked_by, a.ack_note, a.silence_id, a.step, a.escalates_from, a.told_at, a.acted, a.seen, a.ver, 0 AS subject_count, 0 AS open_count, s.alert_id, s.subject_key, s.subject, s.namespace AS own, s.job_id AS own_job, s.run_id, s.count, s.first_at, s.last_at AS seen_at, s.ended_at, s.recent, s.data,
  CASE WHEN a.kind = 'failed' AND s.ended_at IS NULL THEN
    CASE WHEN EXISTS (SELECT 1 FROM runs r WHERE r.job_id = s.job_id AND r.id > s.run_id AND r.shard = -1
                                            AND r.state = 'SUCCEEDED')
           OR EXISTS (SELECT 1 FROM jobs j WHERE j.id = s.job_id AND j.deleted_at > 0) THEN 1 ELSE 0 END
  ELSE 0 END AS is_well
FROM alerts a LEFT JOIN alert_subjects s ON s.alert_id = a.id
WHERE a.resolved_at IS NULL AND a.id >= :from_id ORDER BY a.resolved_at, a.id, s.subject_key LIMIT :rows;

-- alerts/looks.py OF_JOBS
   SELECT r.job_id, r.state, min(r.id) AS run_id, count(*) AS runs,
          min(CASE WHEN r.state = 'PENDING' THEN r.not_before ELSE r.started_at END) AS since,
          min(r.parked) AS parked
FROM job_alerts a JOIN runs r ON r.job_id = a.job_id AND r.state IN ('PENDING', 'RUNNING')
                                         AND r.shard = -1
   WHERE (r.state = 'PENDING' AND r.attempt = 0 AND r.not_before < foliot_now() - a.late_us)
      OR (r.state = 'RUNNING' AND r.started_at < foliot_now() - a.slower_us)
   GROUP BY r.job_id, r.state ORDER BY r.job_id LIMIT :rows;

-- alerts/looks.py LIVE
   SELECT r.job_id, r.state, min(r.id) AS run_id, count(*) AS runs,
          min(CASE WHEN r.state = 'PENDING' THEN r.not_before ELSE r.started_at END) AS since,
          min(r.parked) AS parked
FROM runs r
   WHERE r.state IN ('PENDING', 'RUNNING') AND r.shard = -1
     AND ((r.state = 'PENDING' AND r.attempt = 0 AND r.not_before < foliot_now() - :late)
       OR (r.state = 'RUNNING' AND r.started_at < foliot_now() - :slower))
   GROUP BY r.job_id, r.state ORDER BY r.job_id LIMIT :rows;

-- alerts/looks.py UNDECIDED
SELECT a.job_id, 'PENDING' AS state, 0 AS run_id, 1 AS runs, c.next_due_at AS since, 0 AS parked
FROM job_alerts a JOIN cursors c ON c.job_id = a.job_id
WHERE c.state = 'active' AND c.next_at IS NOT NULL AND c.next_due_at < foliot_now() - a.late_us
ORDER BY a.job_id LIMIT :rows;

-- alerts/looks.py JOBS
SELECT j.id, j.name, j.namespace, j.deleted_at, v.definition
FROM jobs j JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
WHERE j.id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d);

-- alerts/looks.py ANOMALIES
SELECT j.id, j.name, j.namespace, j.deleted_at, v.definition, a.kind, a.began_at, a.facts
FROM anomalies a JOIN jobs j ON j.id = a.job_id JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
WHERE a.is_open = 1 AND j.deleted_at = 0 ORDER BY a.id LIMIT :rows;

-- alerts/notices.py PUT
INSERT INTO outbox (notice_key, delivery_id, kind, level, namespace, channel, alert_id, data, state, attempt,
                        is_repeat, created_at, next_at)
SELECT d.notice_key, d.delivery_id, d.kind, d.level, d.namespace, d.channel, d.alert_id, d.data, 'waiting', 0, 0,
       :now, CASE WHEN d.not_before > :now THEN d.not_before ELSE :now END
FROM (SELECT json_extract(value, '$[0]') AS notice_key, json_extract(value, '$[1]') AS delivery_id, json_extract(value, '$[2]') AS kind, json_extract(value, '$[3]') AS level, json_extract(value, '$[4]') AS namespace, json_extract(value, '$[5]') AS channel, json_extract(value, '$[6]') AS alert_id, json_extract(value, '$[7]') AS data, json_extract(value, '$[8]') AS not_before FROM json_each(:d)) AS d WHERE true ON CONFLICT DO NOTHING;

-- alerts/outbox.py DUE
SELECT id, state FROM outbox WHERE next_at <= foliot_now() ORDER BY next_at, id LIMIT :rows;

-- alerts/outbox.py CLAIM
UPDATE outbox SET state = 'sending', claim = :claim, sent_by = :sent_by, attempt = outbox.attempt + 1,
                  next_at = foliot_now() + :for_us, is_repeat = CASE WHEN d.ran_out = 1 THEN 1 ELSE outbox.is_repeat END
FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS ran_out FROM json_each(:d)) AS d WHERE outbox.id = d.id AND outbox.next_at <= foliot_now();

-- alerts/outbox.py OF_IDS
SELECT o.id, o.notice_key, o.delivery_id, o.kind, o.level, o.namespace, o.channel, o.alert_id, o.data, o.state, o.attempt, o.is_repeat, o.created_at, o.next_at, o.claim, o.settled_at, o.sent_by, o.error FROM outbox o WHERE o.id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d);

-- alerts/outbox.py SETTLE
UPDATE outbox SET state = d.state, next_at = foliot_now() + d.retry_in, error = d.error, claim = NULL,
                  attempt = outbox.attempt - d.tries_back,
                  is_repeat = CASE WHEN d.repeats = 1 THEN 1 ELSE outbox.is_repeat END,
                  settled_at = CASE WHEN d.is_final = 1 THEN foliot_now() END
FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS claim, json_extract(value, '$[2]') AS state, json_extract(value, '$[3]') AS retry_in, json_extract(value, '$[4]') AS error, json_extract(value, '$[5]') AS tries_back, json_extract(value, '$[6]') AS repeats, json_extract(value, '$[7]') AS is_final FROM json_each(:d)) AS d WHERE outbox.id = d.id AND outbox.claim = d.claim AND outbox.state = 'sending';

-- alerts/outbox.py HEALTH
UPDATE channels SET last_sent_at = CASE WHEN d.is_well = 1 THEN foliot_now() ELSE channels.last_sent_at END,
                    failures = CASE WHEN d.is_well = 1 THEN 0 ELSE channels.failures + d.failures END,
                    failing_since = CASE WHEN d.is_well = 0 THEN coalesce(channels.failing_since, foliot_now()) END,
                    last_error = d.error
FROM (SELECT json_extract(value, '$[0]') AS namespace, json_extract(value, '$[1]') AS name, json_extract(value, '$[2]') AS is_well, json_extract(value, '$[3]') AS failures, json_extract(value, '$[4]') AS error FROM json_each(:d)) AS d WHERE channels.namespace = d.namespace AND channels.name = d.name;

-- alerts/outbox.py SENT_LATELY
SELECT d.namespace, d.name, count(*) AS sent, min(o.settled_at) AS oldest_at
FROM (SELECT json_extract(value, '$[0]') AS namespace, json_extract(value, '$[1]') AS name, json_extract(value, '$[2]') AS within FROM json_each(:d)) AS d JOIN outbox o ON o.settled_at > foliot_now() - d.within AND o.namespace = d.namespace AND o.channel = d.name
WHERE o.state = 'sent' GROUP BY d.namespace, d.name;

-- alerts/outbox.py BEFORE
SELECT o.id, o.notice_key, o.delivery_id, o.kind, o.level, o.namespace, o.channel, o.alert_id, o.data, o.state, o.attempt, o.is_repeat, o.created_at, o.next_at, o.claim, o.settled_at, o.sent_by, o.error FROM outbox o WHERE o.id < :before ORDER BY o.id DESC LIMIT :rows;

-- alerts/outbox.py OF_ALERT
SELECT o.id, o.notice_key, o.delivery_id, o.kind, o.level, o.namespace, o.channel, o.alert_id, o.data, o.state, o.attempt, o.is_repeat, o.created_at, o.next_at, o.claim, o.settled_at, o.sent_by, o.error FROM outbox o WHERE o.alert_id = :alert_id AND o.id < :before ORDER BY o.id DESC LIMIT :rows;

-- alerts/outbox.py NEXT
SELECT min(next_at) FROM outbox WHERE next_at > 0;

-- alerts/outbox.py WAITING
SELECT namespace, channel, count(*) AS waiting FROM outbox WHERE next_at > 0 GROUP BY namespace, channel;

-- alerts/outbox.py OLD
SELECT id FROM outbox WHERE settled_at < :before ORDER BY settled_at, id LIMIT :rows;

-- alerts/outbox.py FORGET
DELETE FROM outbox WHERE id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d) AND settled_at < :before;

-- alerts/questions.py LAST_RUNS
SELECT d.job_id, d.of_last, r.id, r.state FROM (SELECT json_extract(value, '$[0]') AS job_id, json_extract(value, '$[1]') AS of_last FROM json_each(:d)) AS d JOIN runs r ON r.job_id = d.job_id AND r.shard = -1
  AND r.id >= coalesce((SELECT x.id FROM runs x WHERE x.job_id = d.job_id AND x.shard = -1
                          AND x.state IN ('SUCCEEDED', 'FAILED') AND (x.follow & 128) <> 128
                        ORDER BY x.id DESC LIMIT 1 OFFSET :depth), 0)
WHERE r.state IN ('SUCCEEDED', 'FAILED') AND (r.follow & 128) <> 128 AND r.parent_id IS NULL;

-- alerts/questions.py FAILED_SINCE
SELECT d.job_id, d.within_us, count(DISTINCT coalesce(r.parent_id, r.id)) AS failed
FROM (SELECT json_extract(value, '$[0]') AS job_id, json_extract(value, '$[1]') AS within_us FROM json_each(:d)) AS d JOIN attempts a ON a.job_id = d.job_id AND a.ended_at > foliot_now() - d.within_us
JOIN runs r ON r.id = a.run_id AND r.state = 'FAILED' AND (r.follow & 128) <> 128
GROUP BY d.job_id, d.within_us;

-- alerts/questions.py SILENT
SELECT j.id FROM jobs j JOIN cursors c ON c.job_id = j.id
WHERE j.deleted_at = 0 AND c.state = 'active' AND c.next_at IS NOT NULL AND j.created_at < foliot_now() - :lasts
  AND j.id NOT IN (SELECT s.job_id FROM stats s
                   WHERE s.resolution = :resolution AND s.start_at >= :since AND s.succeeded > 0)
ORDER BY j.id LIMIT :rows;

-- alerts/questions.py SKETCHES
SELECT s.job_id, s.took_sketch FROM (SELECT json_extract(value, '$[0]') AS start_at, json_extract(value, '$[1]') AS job_id FROM json_each(:d)) AS d CROSS JOIN stats s
ON s.resolution = 1 AND s.start_at = d.start_at AND s.job_id = d.job_id
WHERE s.is_part = 0 AND s.took > 0;

-- alerts/questions.py NAMED
SELECT j.id, j.namespace, j.name FROM jobs j
WHERE j.deleted_at = 0 AND j.name IN (SELECT d.name FROM (SELECT json_extract(value, '$[0]') AS name FROM json_each(:d)) AS d) ORDER BY j.id LIMIT :rows;

-- alerts/questions.py ENDED
SELECT s.job_id, s.succeeded, s.failed, s.retries, s.delay_max_us FROM (SELECT json_extract(value, '$[0]') AS start_at, json_extract(value, '$[1]') AS job_id FROM json_each(:d)) AS d CROSS JOIN stats s
ON s.resolution = 0 AND s.start_at = d.start_at AND s.job_id = d.job_id
WHERE s.is_part = 0 AND (s.job_id > 0 OR s.node = '');

-- alerts/questions.py POLICIES
SELECT a.job_id, j.namespace, a.document FROM job_alerts a
JOIN jobs j ON j.id = a.job_id AND j.deleted_at = 0 AND j.version = a.version;

-- alerts/questions.py ACTED
SELECT e.subject AS rule, count(*) AS acts FROM events e
WHERE e.subject IN (SELECT d.rule FROM (SELECT json_extract(value, '$[0]') AS rule FROM json_each(:d)) AS d) AND e.kind = 'alert.acted' AND e.at > foliot_now() - :hour GROUP BY e.subject;

-- alerts/record.py TAKE_SIGNS
DELETE FROM failure_signs WHERE run_id IN (SELECT d.run_id FROM (SELECT json_extract(value, '$[0]') AS run_id FROM json_each(:d)) AS d);

-- alerts/record.py OPEN
INSERT INTO alerts (open_key, namespace, rule, kind, level, state, job_id, cause, channels, runbook, began_at, fired_at, last_at, resolved_at, silence_id, step, escalates_from, told_at, acted, seen, ver)
SELECT d.open_key, d.namespace, d.rule, d.kind, d.level, d.state, d.job_id, d.cause, d.channels, d.runbook, d.began_at, d.fired_at, d.last_at, d.resolved_at, d.silence_id, d.step, d.escalates_from, d.told_at, d.acted, d.seen, 1 FROM (SELECT json_extract(value, '$[0]') AS open_key, json_extract(value, '$[1]') AS namespace, json_extract(value, '$[2]') AS rule, json_extract(value, '$[3]') AS kind, json_extract(value, '$[4]') AS level, json_extract(value, '$[5]') AS state, json_extract(value, '$[6]') AS job_id, json_extract(value, '$[7]') AS cause, json_extract(value, '$[8]') AS channels, json_extract(value, '$[9]') AS runbook, json_extract(value, '$[10]') AS began_at, json_extract(value, '$[11]') AS fired_at, json_extract(value, '$[12]') AS last_at, json_extract(value, '$[13]') AS resolved_at, json_extract(value, '$[14]') AS silence_id, json_extract(value, '$[15]') AS step, json_extract(value, '$[16]') AS escalates_from, json_extract(value, '$[17]') AS told_at, json_extract(value, '$[18]') AS acted, json_extract(value, '$[19]') AS seen FROM json_each(:d)) AS d WHERE true ON CONFLICT DO NOTHING;

-- alerts/record.py IDS
SELECT a.open_key, a.id FROM alerts a WHERE a.open_key IN (SELECT d.open_key FROM (SELECT json_extract(value, '$[0]') AS open_key FROM json_each(:d)) AS d);

-- alerts/record.py CHANGE
UPDATE alerts SET ver = alerts.ver + 1, open_key = d.open_key, level = d.level, state = d.state,
       channels = d.channels, fired_at = d.fired_at, last_at = d.last_at, resolved_at = d.resolved_at,
       silence_id = d.silence_id, step = d.step, escalates_from = d.escalates_from, told_at = d.told_at,
       acted = d.acted, seen = d.seen
FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS ver, json_extract(value, '$[2]') AS open_key, json_extract(value, '$[3]') AS level, json_extract(value, '$[4]') AS state, json_extract(value, '$[5]') AS channels, json_extract(value, '$[6]') AS fired_at, json_extract(value, '$[7]') AS last_at, json_extract(value, '$[8]') AS resolved_at, json_extract(value, '$[9]') AS silence_id, json_extract(value, '$[10]') AS step, json_extract(value, '$[11]') AS escalates_from, json_extract(value, '$[12]') AS told_at, json_extract(value, '$[13]') AS acted, json_extract(value, '$[14]') AS seen FROM json_each(:d)) AS d WHERE alerts.id = d.id AND alerts.ver = d.ver AND alerts.resolved_at IS NULL;

-- alerts/record.py SEE_AGAIN
UPDATE alert_subjects SET run_id = d.run_id, count = d.times, last_at = d.last_at, ended_at = d.ended_at,
       recent = d.recent, data = d.data
FROM (SELECT json_extract(value, '$[0]') AS alert_id, json_extract(value, '$[1]') AS subject_key, json_extract(value, '$[2]') AS subject, json_extract(value, '$[3]') AS namespace, json_extract(value, '$[4]') AS job_id, json_extract(value, '$[5]') AS run_id, json_extract(value, '$[6]') AS times, json_extract(value, '$[7]') AS first_at, json_extract(value, '$[8]') AS last_at, json_extract(value, '$[9]') AS ended_at, json_extract(value, '$[10]') AS recent, json_extract(value, '$[11]') AS data FROM json_each(:d)) AS d WHERE alert_subjects.alert_id = d.alert_id AND alert_subjects.subject_key = d.subject_key;

-- alerts/record.py SEE
INSERT INTO alert_subjects (alert_id, subject_key, subject, namespace, job_id, run_id, count, first_at, last_at,
                                ended_at, recent, data)
SELECT d.alert_id, d.subject_key, d.subject, d.namespace, d.job_id, d.run_id, d.times, d.first_at, d.last_at,
       d.ended_at, d.recent, d.data
FROM (SELECT json_extract(value, '$[0]') AS alert_id, json_extract(value, '$[1]') AS subject_key, json_extract(value, '$[2]') AS subject, json_extract(value, '$[3]') AS namespace, json_extract(value, '$[4]') AS job_id, json_extract(value, '$[5]') AS run_id, json_extract(value, '$[6]') AS times, json_extract(value, '$[7]') AS first_at, json_extract(value, '$[8]') AS last_at, json_extract(value, '$[9]') AS ended_at, json_extract(value, '$[10]') AS recent, json_extract(value, '$[11]') AS data FROM json_each(:d)) AS d WHERE true ON CONFLICT DO NOTHING;

-- alerts/resolution.py CLOSE
UPDATE alerts SET ver = alerts.ver + 1, state = 'resolved', resolved_at = :now, open_key = d.open_key
FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS ver, json_extract(value, '$[2]') AS open_key FROM json_each(:d)) AS d WHERE alerts.id = d.id AND alerts.ver = d.ver AND alerts.resolved_at IS NULL;

-- alerts/resolution.py END_SUBJECTS
UPDATE alert_subjects SET ended_at = :now
FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d WHERE alert_subjects.alert_id = d.id AND alert_subjects.ended_at IS NULL;

-- alerts/rounds.py OLD
SELECT a.id, 1 AS is_alert FROM (
  SELECT id FROM alerts WHERE resolved_at < :before ORDER BY resolved_at, id LIMIT :rows
) a
UNION ALL
SELECT s.id, 0 FROM (SELECT id FROM silences WHERE until < :before ORDER BY until, id LIMIT :rows) s;

-- alerts/rounds.py FORGET_SUBJECTS
DELETE FROM alert_subjects WHERE alert_id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d);

-- alerts/rounds.py FORGET
DELETE FROM alerts WHERE id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d);

-- alerts/rounds.py FORGET_SILENCES
DELETE FROM silences WHERE id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d);

-- alerts/rules.py ALL
SELECT namespace, name, version, document FROM alert_rules ORDER BY namespace, name LIMIT :rows;

-- alerts/rules.py VISIBLE
SELECT namespace, name, version, document FROM alert_rules WHERE namespace IN ('', :namespace) ORDER BY namespace, name LIMIT :rows;

-- alerts/rules.py ONE
SELECT namespace, name, version, document FROM alert_rules WHERE namespace = :namespace AND name = :name;

-- alerts/rules.py COUNT
SELECT count(*) FROM alert_rules;

-- alerts/rules.py FIRST
INSERT INTO alert_rules (namespace, name, version, document, updated_at, updated_by, reason)
SELECT d.namespace, d.name, 1, d.document, foliot_now(), d.made_by, d.reason FROM (SELECT json_extract(value, '$[0]') AS namespace, json_extract(value, '$[1]') AS name, json_extract(value, '$[2]') AS document, json_extract(value, '$[3]') AS made_by, json_extract(value, '$[4]') AS reason FROM json_each(:d)) AS d WHERE true ON CONFLICT DO NOTHING;

-- alerts/rules.py NEXT
UPDATE alert_rules SET version = version + 1, document = :document, updated_at = foliot_now(), updated_by = :made_by,
                       reason = :reason
WHERE namespace = :namespace AND name = :name AND version = :version;

-- alerts/rules.py REMOVE
DELETE FROM alert_rules WHERE namespace = :namespace AND name = :name;

-- alerts/silences.py IN_FORCE
SELECT id, namespace, document, from_at, until, reason, made_by, ended_by FROM silences WHERE until > foliot_now() AND ended_by IS NULL ORDER BY until, id LIMIT :rows;

-- alerts/silences.py LATEST
SELECT id, namespace, document, from_at, until, reason, made_by, ended_by FROM silences ORDER BY id DESC LIMIT :rows;

-- alerts/silences.py ONE
SELECT id, namespace, document, from_at, until, reason, made_by, ended_by FROM silences WHERE id = :id;

-- alerts/silences.py INSERT
INSERT INTO silences (namespace, document, from_at, until, reason, made_by)
VALUES (:namespace, :document, :from_at, :until, :reason, :made_by);

-- alerts/silences.py NEWEST
SELECT id, namespace, document, from_at, until, reason, made_by, ended_by FROM silences WHERE made_by = :made_by AND from_at = :from_at ORDER BY id DESC LIMIT 1;

-- alerts/silences.py END
UPDATE silences SET ended_by = :by WHERE id = :id AND ended_by IS NULL AND until > foliot_now();

-- alerts/silences.py HUSH
UPDATE alerts SET silence_id = :silence, ver = ver + 1
WHERE id = :alert AND resolved_at IS NULL AND :from_at <= foliot_now();

-- alerts/silences.py UNHUSH
UPDATE alerts SET silence_id = NULL, ver = ver + 1 WHERE silence_id = :silence AND resolved_at IS NULL;

-- alerts/store.py BEFORE
   SELECT a.id, a.open_key, a.namespace, a.rule, a.kind, a.level, a.state, a.job_id, a.cause, a.channels, a.runbook, a.began_at, a.fired_at, a.last_at, a.resolved_at, a.acked_at, a.acked_by, a.ack_note, a.silence_id, a.step, a.escalates_from, a.told_at, a.acted, a.seen, a.ver, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id) AS subject_count, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id AND s.ended_at IS NULL) AS open_count FROM alerts a WHERE a.id < :before AND
   (:subject = '' OR EXISTS (SELECT 1 FROM alert_subjects s WHERE s.alert_id = a.id AND s.subject = :subject))
ORDER BY a.id DESC LIMIT :rows;

-- alerts/store.py OPEN_BEFORE
SELECT a.id, a.open_key, a.namespace, a.rule, a.kind, a.level, a.state, a.job_id, a.cause, a.channels, a.runbook, a.began_at, a.fired_at, a.last_at, a.resolved_at, a.acked_at, a.acked_by, a.ack_note, a.silence_id, a.step, a.escalates_from, a.told_at, a.acted, a.seen, a.ver, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id) AS subject_count, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id AND s.ended_at IS NULL) AS open_count FROM alerts a WHERE a.resolved_at IS NULL AND a.id < :before AND
(:subject = '' OR EXISTS (SELECT 1 FROM alert_subjects s WHERE s.alert_id = a.id AND s.subject = :subject))
ORDER BY a.id DESC LIMIT :rows;

-- alerts/store.py FIRING
SELECT a.level, a.namespace, count(*) AS n FROM alerts a WHERE a.state = 'firing' AND a.silence_id IS NULL GROUP BY a.level, a.namespace;

-- alerts/store.py ACKNOWLEDGE
UPDATE alerts SET state = 'acknowledged', acked_at = foliot_now(), acked_by = :by, ack_note = :note, ver = ver + 1
WHERE id = :id AND state = 'firing';

-- alerts/store.py OPEN_OF_RULE
SELECT a.id, a.open_key, a.namespace, a.rule, a.kind, a.level, a.state, a.job_id, a.cause, a.channels, a.runbook, a.began_at, a.fired_at, a.last_at, a.resolved_at, a.acked_at, a.acked_by, a.ack_note, a.silence_id, a.step, a.escalates_from, a.told_at, a.acted, a.seen, a.ver, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id) AS subject_count, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id AND s.ended_at IS NULL) AS open_count FROM alerts a WHERE a.resolved_at IS NULL AND a.rule = :rule ORDER BY a.id LIMIT :rows;

-- checkup/gauges.py JOBS_BY_STATE
SELECT c.state, count(*) FROM cursors c JOIN jobs j ON j.id = c.job_id WHERE j.deleted_at = 0 GROUP BY c.state;

-- checkup/gauges.py ASSIGNED_BY_LANE
SELECT q.lane, count(*), min(q.not_before) FROM (
  SELECT r.lane, r.not_before FROM runs r WHERE r.state = 'PENDING' AND r.parked = 2 LIMIT :rows
) q WHERE q.not_before <= foliot_now() GROUP BY q.lane;

-- checkup/gauges.py SUMMARY
SELECT foliot_now() AS now, coalesce((SELECT max(e.id) FROM events e), 0) AS newest_event,
       (SELECT count(*) FROM alerts a WHERE a.state = 'firing' AND a.silence_id IS NULL AND a.level = 'critical')
         AS critical,
       (SELECT count(*) FROM alerts a WHERE a.state = 'firing' AND a.silence_id IS NULL AND a.level = 'warning')
         AS warning,
       (SELECT count(*) FROM alerts a WHERE a.state = 'firing' AND a.silence_id IS NULL AND a.level = 'info')
         AS info,
       (SELECT count(*) FROM (SELECT o.id FROM outbox o WHERE o.next_at > 0 LIMIT :rows) w) AS notices,
       (SELECT min(w.created_at) FROM (SELECT o.created_at FROM outbox o WHERE o.next_at > 0 LIMIT :rows) w)
         AS oldest_notice_at,
       (SELECT count(*) FROM heartbeats) AS checks,
       (SELECT count(*) FROM heartbeats h WHERE h.alarm_at <= foliot_now()) AS checks_down,
       count(q.token) AS held, count(*) - count(q.token) AS waiting
FROM (SELECT c.token FROM lock_claims c LIMIT :rows) q;

-- checkup/gauges.py NAMES
SELECT j.id, j.namespace, j.name FROM jobs j WHERE j.id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d);

-- checkup/grades.py KEEP
UPDATE checkups SET at = foliot_now(), grades = :grades WHERE id = 1 AND EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = :term);

-- checkup/grades.py KEEP_FIRST
INSERT INTO checkups (id, at, grades)
SELECT d.id, foliot_now(), d.grades FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS grades FROM json_each(:d)) AS d WHERE EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = :term) ON CONFLICT DO NOTHING;

-- checkup/grades.py KEPT
SELECT at, grades FROM checkups WHERE id = 1;

-- checkup/lane_waits.py OVERDUE
SELECT count(*) FROM (SELECT 1 AS one FROM cursors WHERE next_at <= foliot_now() LIMIT :rows) late;

-- checkup/lane_waits.py FIRST_OF_KIND
SELECT r.lane, r.class, r.priority, r.not_before, foliot_now() AS now FROM runs r
WHERE r.state = 'PENDING' AND r.parked = 0 AND (r.lane, r.class, r.priority) > (:lane, :class, :priority)
ORDER BY r.lane, r.class, r.priority, r.not_before LIMIT 1;

-- checkup/lane_waits.py FIRST_OF_QUEUE
SELECT r.assigned_to, r.lane, r.not_before, foliot_now() AS now FROM runs r
WHERE r.state = 'PENDING' AND r.parked = 2 AND (r.assigned_to, r.lane) > (:session, :lane)
ORDER BY r.assigned_to, r.lane, r.assigned_rank LIMIT 1;

-- checkup/lane_waits.py NEEDED_SOON
SELECT DISTINCT v.lane_id FROM (
  SELECT job_id, version FROM cursors WHERE next_at >= 0 ORDER BY next_at LIMIT 100
) c JOIN job_versions v ON v.job_id = c.job_id AND v.version = c.version;

-- checkup/outcomes.py FAILING
SELECT n.job_id, j.namespace, j.name, count(*) AS failed FROM (
  SELECT job_id, state, ended_at FROM runs ORDER BY id DESC LIMIT 2000
) n JOIN jobs j ON j.id = n.job_id
WHERE n.state = 'FAILED' AND n.ended_at >= foliot_now() - 3600000000 AND j.deleted_at = 0
GROUP BY n.job_id, j.namespace, j.name ORDER BY failed DESC, n.job_id LIMIT :rows;

-- checkup/outcomes.py ENDED
SELECT n.state, n.recent, count(*) AS runs FROM (
  SELECT state, CASE WHEN ended_at >= foliot_now() - 3600000000 THEN 1 ELSE 0 END AS recent
  FROM runs WHERE job_id = :job ORDER BY id DESC LIMIT 500
) n WHERE n.state IN ('SUCCEEDED', 'FAILED')
GROUP BY n.state, n.recent;

-- checkup/outcomes.py USUAL
SELECT s.job_id, sum(s.succeeded) AS succeeded, sum(s.failed) AS failed FROM (SELECT json_extract(value, '$[0]') AS start_at, json_extract(value, '$[1]') AS job_id FROM json_each(:d)) AS d CROSS JOIN stats s
ON s.resolution = 2 AND s.start_at = d.start_at AND s.job_id = d.job_id AND s.is_part = 0
GROUP BY s.job_id;

-- checkup/readings.py TRANSACTIONS
SELECT id FROM store_meta WHERE id < 0;

-- checkup/readings.py REPLICATION
SELECT id FROM store_meta WHERE id < 0;

-- checkup/readings.py SCHEMA
SELECT v.version_num AS revision, m.readable_from FROM foliot_version v JOIN store_meta m ON m.id = 1;

-- checkup/readings.py STATUS
SELECT id FROM store_meta WHERE id < 0;

-- checkup/readings.py DEAD_ROWS
SELECT 'file' AS name, f.freelist_count AS dead, p.page_count - f.freelist_count AS live FROM pragma_freelist_count f, pragma_page_count p;

-- checkup/readings.py HISTORY
SELECT id FROM store_meta WHERE id < 0;

-- checkup/readings.py CONNECTIONS
SELECT id FROM store_meta WHERE id < 0;

-- checkup/readings.py SETTINGS
SELECT id FROM store_meta WHERE id < 0;

-- checkup/readings.py SIZE
SELECT p.page_count * s.page_size AS bytes FROM pragma_page_count p, pragma_page_size s;

-- checkup/readings.py FILE
SELECT file AS path FROM pragma_database_list WHERE name = 'main';

-- checkup/readings.py TOGETHER
SELECT id FROM store_meta WHERE id < 0;

-- cluster/beats.py HELD
    SELECT n.state, n.beat_no, foliot_now(), c.whole, n.slots, n.until, n.band, n.band_turn_at, n.band_cause, n.drill,
           n.role, m.reap_after, m.last_tick_at,
           r.id, r.lease_id, r.request_no, r.job_id, r.version, r.started_at, r.leased_at,
           CASE WHEN r.cancel_at IS NOT NULL AND r.deadline_at <= foliot_now() THEN 2
                WHEN r.cancel_at IS NOT NULL OR (
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.job_id = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
) THEN 1 ELSE 0 END
    FROM nodes n JOIN store_meta m ON m.id = 1 LEFT JOIN codes c ON c.hash = n.code
    LEFT JOIN runs r ON r.session_id = n.id AND r.state = 'RUNNING'
    WHERE n.id = :session;

-- cluster/beats.py FREE
SELECT r.id FROM runs r
WHERE r.id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d)
  AND EXISTS (SELECT 1 FROM nodes n WHERE n.id = :session AND n.beat_no = :beat_no)
ORDER BY r.id;

-- cluster/beats.py STARTED
UPDATE runs SET ver = runs.ver + 1, checkpoint = coalesce(d.checkpoint, runs.checkpoint),
       started_at = coalesce(runs.started_at, d.started_at),
       deadline_at = CASE WHEN runs.started_at IS NULL AND d.started_at IS NOT NULL
                               AND NOT (runs.cancel_at IS NOT NULL AND runs.deadline_at <= foliot_now())
                          THEN d.deadline_at ELSE runs.deadline_at END
FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS lease_id, json_extract(value, '$[2]') AS started_at, json_extract(value, '$[3]') AS deadline_at, json_extract(value, '$[4]') AS checkpoint FROM json_each(:d)) AS d
WHERE runs.id = d.id AND runs.lease_id = d.lease_id
  AND (runs.started_at IS NULL AND d.started_at IS NOT NULL
       OR d.checkpoint IS NOT NULL AND (runs.checkpoint IS NULL OR runs.checkpoint <> d.checkpoint));

-- cluster/beats.py BEAT
UPDATE nodes SET until = foliot_now() + :ttl, last_beat_at = foliot_now(), beat_no = :beat_no, settled = :settled, load = :load,
       progress = :progress, wall_offset_us = coalesce(:wall_offset, wall_offset_us),
       band_at = CASE WHEN coalesce(band, 'ONLINE') = :band THEN band_at ELSE foliot_now() END,
       band = :band, band_turn_at = :band_turn_at, band_cause = :band_cause,
       ready_at = CASE WHEN ready_at IS NULL AND :syncing = 0 THEN foliot_now() ELSE ready_at END,
       draining_at = CASE WHEN state = 'live' AND :draining = 1 THEN foliot_now() ELSE draining_at END,
       state = CASE WHEN state = 'live' AND :draining = 1 THEN 'draining' ELSE state END
WHERE id = :session AND state <> 'dead' AND beat_no < :beat_no;

-- cluster/clock.py REPORT
UPDATE nodes SET clock_offset_us = :ahead, wall_offset_us = coalesce(:offset, wall_offset_us)
WHERE id = :session AND state <> 'dead';

-- cluster/clock.py OVERTAKEN
UPDATE nodes SET clock_offset_us = 0
WHERE id = :session AND (SELECT m.clock_suspect FROM store_meta m WHERE m.id = 1) = 0;

-- cluster/clock.py LEADS
SELECT n.clock_offset_us FROM nodes n
WHERE n.kind = 'server' AND n.state = 'live' AND n.clock_offset_us IS NOT NULL;

-- cluster/clock.py OFFSETS
SELECT n.wall_offset_us FROM nodes n WHERE n.state = 'live' AND n.wall_offset_us IS NOT NULL
ORDER BY n.id LIMIT :limit;

-- cluster/clock.py KNOWN
SELECT clock_suspect, clock_ahead_us, clock_trusted_us FROM store_meta WHERE id = 1;

-- cluster/clock.py SUSPECT
UPDATE store_meta SET clock_suspect = 1, last_good_time = foliot_now() - :ahead, clock_ahead_us = :ahead
WHERE id = 1 AND clock_suspect = 0;

-- cluster/clock.py AHEAD
UPDATE store_meta SET clock_ahead_us = :ahead WHERE id = 1 AND clock_suspect = 1;

-- cluster/clock.py AGREED
UPDATE store_meta SET clock_suspect = 0, clock_ahead_us = NULL WHERE id = 1 AND clock_suspect = 1;

-- cluster/clock.py TRUST
UPDATE store_meta SET clock_trusted_us = :offset WHERE id = 1;

-- cluster/clock.py NO_LEADS
UPDATE nodes SET clock_offset_us = 0 WHERE kind = 'server' AND state <> 'dead';

-- cluster/codes.py LIVE
SELECT DISTINCT n.code, n.namespace, (SELECT max(c.used_at) FROM codes c) AS newest_at
FROM nodes n WHERE n.state IN ('live', 'draining') AND n.kind = 'worker';

-- cluster/codes.py MODULES
SELECT c.hash, c.namespace, c.group_name, m.module FROM (SELECT json_extract(value, '$[0]') AS hash FROM json_each(:d)) AS d JOIN codes c ON c.hash = d.hash JOIN code_modules m ON m.code = c.hash;

-- cluster/codes.py IS_KEPT
SELECT 1 FROM codes WHERE hash = :code AND whole >= 1;

-- cluster/codes.py USE
UPDATE codes SET ver = ver + 1, used_at = foliot_now(), whole = 1 WHERE hash = :code AND whole >= 1;

-- cluster/codes.py TOUCH
UPDATE codes SET ver = ver + 1, used_at = foliot_now() WHERE hash = :code;

-- cluster/codes.py INSERT
INSERT INTO codes (hash, namespace, group_name, whole, ver, used_at)
SELECT d.hash, d.namespace, d.group_name, 0, 1, foliot_now() FROM (SELECT json_extract(value, '$[0]') AS hash, json_extract(value, '$[1]') AS namespace, json_extract(value, '$[2]') AS group_name FROM json_each(:d)) AS d WHERE true ON CONFLICT DO NOTHING;

-- cluster/codes.py INSERT_MODULES
INSERT INTO code_modules (code, module) SELECT :code, d.module FROM (SELECT json_extract(value, '$[0]') AS module FROM json_each(:d)) AS d WHERE true ON CONFLICT DO NOTHING;

-- cluster/codes.py INSERT_JOBS
INSERT INTO code_jobs (namespace, name, code, module)
SELECT d.namespace, d.name, :code, d.module FROM (SELECT json_extract(value, '$[0]') AS namespace, json_extract(value, '$[1]') AS name, json_extract(value, '$[2]') AS module FROM json_each(:d)) AS d WHERE true ON CONFLICT DO NOTHING;

-- cluster/codes.py WHOLE
UPDATE codes SET ver = ver + 1, whole = 1 WHERE hash = :code;

-- cluster/codes.py UNUSED
SELECT c.hash, c.ver FROM codes c
WHERE c.used_at < foliot_now() - :unused
  AND NOT EXISTS (SELECT 1 FROM nodes n WHERE n.code = c.hash AND n.state IN ('live', 'draining'))
ORDER BY c.used_at LIMIT 1;

-- cluster/codes.py OPEN
UPDATE codes SET ver = ver + 1, whole = 0 WHERE hash = :code AND ver = :seen;

-- cluster/codes.py ITS_JOBS
SELECT namespace, name FROM code_jobs WHERE code = :code ORDER BY namespace, name LIMIT :rows;

-- cluster/codes.py FORGET_JOBS
DELETE FROM code_jobs WHERE code = :code AND (namespace < :namespace OR (namespace = :namespace AND name <= :name));

-- cluster/codes.py FORGET_MODULES
DELETE FROM code_modules WHERE code = :code;

-- cluster/codes.py FORGET
DELETE FROM codes WHERE hash = :code;

-- cluster/drills.py ASK
INSERT INTO drills (slot, type, node, session_id, for_us, made_by, reason, size_us, state, asked_at)
SELECT d.slot, d.type, d.node, d.session, d.for_us, d.made_by, d.reason, d.size_us, 'asked', foliot_now()
FROM (SELECT json_extract(value, '$[0]') AS slot, json_extract(value, '$[1]') AS type, json_extract(value, '$[2]') AS node, json_extract(value, '$[3]') AS session, json_extract(value, '$[4]') AS for_us, json_extract(value, '$[5]') AS made_by, json_extract(value, '$[6]') AS reason, json_extract(value, '$[7]') AS size_us FROM json_each(:d)) AS d WHERE true
ON CONFLICT DO NOTHING;

-- cluster/drills.py IN_SLOT
SELECT id, type, node, session_id, for_us, made_by, reason, state, asked_at, began_at, over_at, noticed_us, ended_at, report, size_us FROM drills WHERE slot = :slot;

-- cluster/drills.py ONE
SELECT id, type, node, session_id, for_us, made_by, reason, state, asked_at, began_at, over_at, noticed_us, ended_at, report, size_us FROM drills WHERE id = :id;

-- cluster/drills.py BEFORE
SELECT id, type, node, session_id, for_us, made_by, reason, state, asked_at, began_at, over_at, noticed_us, ended_at, report, size_us FROM drills WHERE id < :before ORDER BY id DESC LIMIT :rows;

-- cluster/drills.py ORDER
UPDATE nodes SET drill = :written WHERE id = :session AND state <> 'dead';

-- cluster/drills.py TAKE_BACK
UPDATE nodes SET drill = NULL WHERE id = :session AND drill = :written;

-- cluster/drills.py FORGET
DELETE FROM drills WHERE id <= :before AND ended_at IS NOT NULL;

-- cluster/drills.py BEGIN
UPDATE drills SET state = 'running', began_at = foliot_now() WHERE id = :id AND session_id = :session AND state = 'asked';

-- cluster/drills.py IS_RUNNING
SELECT id FROM drills WHERE id = :id AND session_id = :session AND state = 'running' AND over_at IS NULL;

-- cluster/drills.py OVER
UPDATE drills SET over_at = foliot_now(), noticed_us = :noticed
WHERE id = :id AND session_id = :session AND state = 'running' AND over_at IS NULL;

-- cluster/drills.py SETTLE
UPDATE drills SET state = :state, report = :report, ended_at = foliot_now(), slot = :slot
WHERE id = :id AND state = :before;

-- cluster/drills.py STOP_ASKED
UPDATE drills SET state = 'stopped', ended_at = foliot_now(), slot = :slot
WHERE id = :id AND state = 'asked';

-- cluster/drills.py FIRED
SELECT r.job_id, r.due_at, r.created_at FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d JOIN runs r
ON r.job_id = d.id AND r.fire_key >= :low AND r.fire_key < :high AND r.shard = -1 LIMIT :rows;

-- cluster/drills.py SKIPPED
SELECT s.job_id, s.from_at, s.to_at FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d JOIN skips s
ON s.job_id = d.id AND s.to_at >= :from_at AND s.from_at < :to_at LIMIT :rows;

-- cluster/failover_rows.py OPEN
INSERT INTO failovers (occurrence, type, subject, namespace, began_at, detected_at, last_at, evidence,
                             affected, action, attempts, session_id, term, ver)
SELECT d.occurrence, d.type, d.subject, d.namespace, d.began_at, d.detected_at, foliot_now(), d.evidence,
       d.affected, d.action, d.attempts, d.session, d.under, 0
FROM (SELECT json_extract(value, '$[0]') AS occurrence, json_extract(value, '$[1]') AS type, json_extract(value, '$[2]') AS subject, json_extract(value, '$[3]') AS namespace, json_extract(value, '$[4]') AS began_at, json_extract(value, '$[5]') AS detected_at, json_extract(value, '$[6]') AS evidence, json_extract(value, '$[7]') AS affected, json_extract(value, '$[8]') AS action, json_extract(value, '$[9]') AS attempts, json_extract(value, '$[10]') AS session, json_extract(value, '$[11]') AS under FROM json_each(:d)) AS d WHERE (EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = :term) OR :term IS NULL)
ON CONFLICT DO NOTHING;

-- cluster/failover_rows.py OF_KEYS
SELECT f.id, f.occurrence, f.type, f.subject, f.namespace, f.began_at, f.detected_at, f.last_at, f.evidence, f.affected, f.action, f.attempts, f.session_id, f.term, f.ver, f.outcome, f.done, f.ended_at, f.escalated_at, f.level, f.channel FROM failovers f WHERE f.occurrence IN (SELECT d.occurrence FROM (SELECT json_extract(value, '$[0]') AS occurrence FROM json_each(:d)) AS d);

-- cluster/failover_rows.py OF_IDS
SELECT f.id, f.occurrence, f.type, f.subject, f.namespace, f.began_at, f.detected_at, f.last_at, f.evidence, f.affected, f.action, f.attempts, f.session_id, f.term, f.ver, f.outcome, f.done, f.ended_at, f.escalated_at, f.level, f.channel FROM failovers f WHERE f.id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d);

-- cluster/failover_rows.py ADD
UPDATE failovers SET ver = failovers.ver + 1, last_at = foliot_now(), began_at = d.began_at, evidence = d.evidence,
                     affected = d.affected, attempts = d.attempts
FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS ver, json_extract(value, '$[2]') AS began_at, json_extract(value, '$[3]') AS evidence, json_extract(value, '$[4]') AS affected, json_extract(value, '$[5]') AS attempts FROM json_each(:d)) AS d WHERE failovers.id = d.id AND failovers.ver = d.ver AND failovers.ended_at IS NULL;

-- cluster/failover_rows.py CLOSE
UPDATE failovers SET ver = failovers.ver + 1, outcome = d.outcome, done = d.done, occurrence = d.occurrence,
                     ended_at = coalesce(d.ended_at, foliot_now()), action = coalesce(d.action, failovers.action)
FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS ver, json_extract(value, '$[2]') AS outcome, json_extract(value, '$[3]') AS done, json_extract(value, '$[4]') AS occurrence, json_extract(value, '$[5]') AS ended_at, json_extract(value, '$[6]') AS action FROM json_each(:d)) AS d WHERE failovers.id = d.id AND failovers.ver = d.ver AND failovers.ended_at IS NULL;

-- cluster/failovers.py ESCALATE
UPDATE failovers SET ver = failovers.ver + 1, escalated_at = foliot_now(), level = d.level, channel = d.channel
FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS level, json_extract(value, '$[2]') AS channel FROM json_each(:d)) AS d WHERE failovers.id = d.id AND failovers.escalated_at IS NULL;

-- cluster/failovers.py STILL_OPEN
SELECT f.id, f.occurrence, f.type, f.subject, f.namespace, f.began_at, f.detected_at, f.last_at, f.evidence, f.affected, f.action, f.attempts, f.session_id, f.term, f.ver, f.outcome, f.done, f.ended_at, f.escalated_at, f.level, f.channel FROM failovers f WHERE f.ended_at IS NULL OR f.ended_at > foliot_now() - :within
ORDER BY f.id LIMIT :rows;

-- cluster/failovers.py BEFORE
SELECT f.id, f.occurrence, f.type, f.subject, f.namespace, f.began_at, f.detected_at, f.last_at, f.evidence, f.affected, f.action, f.attempts, f.session_id, f.term, f.ver, f.outcome, f.done, f.ended_at, f.escalated_at, f.level, f.channel FROM failovers f WHERE f.id < :before ORDER BY f.id DESC LIMIT :rows;

-- cluster/failovers.py OPEN_BEFORE
SELECT f.id, f.occurrence, f.type, f.subject, f.namespace, f.began_at, f.detected_at, f.last_at, f.evidence, f.affected, f.action, f.attempts, f.session_id, f.term, f.ver, f.outcome, f.done, f.ended_at, f.escalated_at, f.level, f.channel FROM failovers f WHERE f.ended_at IS NULL AND f.id < :before ORDER BY f.id DESC LIMIT :rows;

-- cluster/failovers.py OLD
SELECT id FROM failovers WHERE ended_at < :before ORDER BY ended_at, id LIMIT :rows;

-- cluster/failovers.py FORGET
DELETE FROM failovers WHERE id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d) AND ended_at < :before;

-- cluster/failovers.py POLICIES
SELECT type, version, document FROM failover_policies;

-- cluster/failovers.py FIRST_POLICY
INSERT INTO failover_policies (type, version, document, updated_at, updated_by, reason)
SELECT d.type, 1, d.document, foliot_now(), d.made_by, d.reason FROM (SELECT json_extract(value, '$[0]') AS type, json_extract(value, '$[1]') AS document, json_extract(value, '$[2]') AS made_by, json_extract(value, '$[3]') AS reason FROM json_each(:d)) AS d WHERE true ON CONFLICT DO NOTHING;

-- cluster/failovers.py NEXT_POLICY
UPDATE failover_policies SET version = version + 1, document = :document, updated_at = foliot_now(), updated_by = :made_by,
                             reason = :reason
WHERE type = :type AND version = :version;

-- cluster/failures.py NEWLY_DEAD
SELECT n.id, n.name, n.kind, n.last_beat_at, n.ended_at FROM nodes n
WHERE n.state = 'dead' AND n.ended_at >= foliot_now() - :look_back AND n.settled <> :settled_all
ORDER BY n.id LIMIT :rows;

-- cluster/failures.py HELD_COUNT
SELECT d.id, count(*) FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d JOIN runs r ON r.session_id = d.id AND r.state = 'RUNNING' GROUP BY d.id;

-- cluster/failures.py HELD_RUNS
SELECT d.id AS session, r.id, j.name FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d JOIN runs r ON r.session_id = d.id AND r.state = 'RUNNING'
JOIN jobs j ON j.id = r.job_id ORDER BY r.id LIMIT :rows;

-- cluster/failures.py OPEN_DEATHS
SELECT f.id, f.occurrence, f.type, f.affected FROM failovers f
WHERE f.ended_at IS NULL AND f.type IN ('worker_crash', 'server_crash', 'network_partition')
ORDER BY f.id LIMIT :rows;

-- cluster/failures.py PROMOTED
SELECT n.promoted_for, n.name, n.role_at FROM nodes n WHERE n.promoted_for IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d);

-- cluster/failures.py FATES
SELECT r.id, r.state, r.kind FROM runs r WHERE r.id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d);

-- cluster/failures.py DEATH
SELECT f.id, f.ver, f.evidence FROM failovers f
WHERE f.occurrence = :key AND f.type IN ('worker_crash', 'server_crash')
  AND (:owner = '' OR EXISTS (SELECT 1 FROM nodes n WHERE n.id = :session AND n.owner = :owner));

-- cluster/failures.py CAME_BACK
UPDATE failovers SET ver = ver + 1, type = 'network_partition', evidence = :evidence
WHERE id = :id AND ver = :ver;

-- cluster/failures.py JOBS_OF
SELECT r.id, r.job_id, j.namespace, j.name,
       (SELECT max(a.ended_at) FROM attempts a WHERE a.run_id = r.id) AS overran_at
FROM runs r JOIN jobs j ON j.id = r.job_id WHERE r.id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d);

-- cluster/failures.py OPEN_CLOCK
SELECT f.id FROM failovers f WHERE f.occurrence = :key AND f.ended_at IS NULL;

-- cluster/kinds.py IS_FRESH
SELECT 1 FROM worker_kinds WHERE hash = :hash AND used_at >= foliot_now() - :fresh;

-- cluster/kinds.py USE
UPDATE worker_kinds SET used_at = foliot_now() WHERE hash = :hash;

-- cluster/kinds.py KEEP
INSERT INTO worker_kinds (hash, stated, used_at)
SELECT d.hash, d.stated, foliot_now() FROM (SELECT json_extract(value, '$[0]') AS hash, json_extract(value, '$[1]') AS stated FROM json_each(:d)) AS d WHERE true ON CONFLICT DO NOTHING;

-- cluster/kinds.py UNUSED
SELECT w.hash FROM worker_kinds w
WHERE w.used_at < foliot_now() - :unused
  AND NOT EXISTS (SELECT 1 FROM nodes n WHERE n.kinds = w.hash AND n.state IN ('live', 'draining'))
ORDER BY w.used_at LIMIT :limit;

-- cluster/kinds.py FORGET
DELETE FROM worker_kinds WHERE used_at < foliot_now() - :unused AND hash IN (SELECT d.hash FROM (SELECT json_extract(value, '$[0]') AS hash FROM json_each(:d)) AS d);

-- cluster/leadership.py RENEW
UPDATE leases SET until = foliot_now() + :ttl
WHERE name = 'leader' AND holder_session = :session AND until >= foliot_now() AND until <= foliot_now() + :ttl + :ttl;

-- cluster/leadership.py RENEW_AND_SAY
UPDATE leases SET until = foliot_now() + :ttl
WHERE name = 'leader' AND holder_session = :session AND until >= foliot_now() AND until <= foliot_now() + :ttl + :ttl
 RETURNING term, until, foliot_now(), (SELECT m.last_tick_at FROM store_meta m WHERE m.id = 1);

-- cluster/leadership.py WIN
UPDATE leases SET holder_session = :session, term = term + 1, until = foliot_now() + :ttl
WHERE name = 'leader' AND (until < foliot_now() OR until > foliot_now() + :ttl + :ttl);

-- cluster/leadership.py HELD
SELECT l.term, l.until, foliot_now(), m.last_tick_at FROM leases l JOIN store_meta m ON m.id = 1
WHERE l.name = 'leader';

-- cluster/leadership.py TICK
UPDATE store_meta SET
  reap_after = CASE WHEN 2 * (foliot_now() - last_tick_at) > :session_ttl OR last_tick_at > foliot_now()
                    THEN foliot_now() + :session_ttl ELSE reap_after END,
  last_tick_at = foliot_now()
WHERE id = 1;

-- cluster/leadership.py CLAMP
UPDATE nodes SET until = foliot_now() + :session_ttl WHERE state <> 'dead' AND until > foliot_now() + :session_ttl;

-- cluster/leadership.py RESIGN
UPDATE leases SET until = foliot_now() - 1 WHERE name = 'leader' AND holder_session = :session AND term = :term;

-- cluster/leadership.py WISH
UPDATE leases SET holder_session = :heir, term = term + 1, until = foliot_now() + :ttl WHERE name = 'heir';

-- cluster/leadership.py FIRST_WISH
INSERT INTO leases (name, holder_session, term, until)
SELECT 'heir', d.heir, 0, 0 FROM (SELECT json_extract(value, '$[0]') AS heir FROM json_each(:d)) AS d WHERE true ON CONFLICT DO NOTHING;

-- cluster/leadership.py APPOINT
UPDATE leases SET holder_session = :heir, term = term + 1, until = foliot_now() + :ttl
WHERE name = 'leader' AND holder_session = :session AND term = :term AND EXISTS (
  SELECT 1 FROM nodes n WHERE n.id = :heir AND n.kind = 'server' AND n.state = 'live' AND n.until > foliot_now()
    AND coalesce(n.role, 'active') = 'active'
);

-- cluster/leadership.py IS_TERM
SELECT l.term FROM leases l WHERE l.name = 'leader' AND l.term = :term;

-- cluster/maintenance.py BEGIN
UPDATE store_meta SET
  maintenance_at = CASE WHEN maintenance_until > foliot_now() THEN maintenance_at ELSE foliot_now() END,
  maintenance_until = foliot_now() + :lasts,
  maintenance_by = :by, maintenance_reason = :reason
WHERE id = 1;

-- cluster/maintenance.py END
UPDATE store_meta SET maintenance_until = 0 WHERE id = 1 AND maintenance_until > foliot_now();

-- cluster/maintenance.py CLOSE
UPDATE store_meta SET maintenance_until = 0 WHERE id = 1 AND maintenance_until BETWEEN 1 AND foliot_now();

-- cluster/maintenance.py FOUND
SELECT maintenance_until, maintenance_at, maintenance_by, maintenance_reason, foliot_now() AS now FROM store_meta WHERE id = 1;

-- cluster/reaper.py DECLARE_DEAD
UPDATE nodes SET state = 'dead', ended_at = foliot_now()
WHERE state <> 'dead' AND until < foliot_now() - :grace
  AND
(SELECT CASE WHEN foliot_now() >= m.reap_after AND 2 * (foliot_now() - m.last_tick_at) <= :session_ttl
             THEN 1 ELSE 0 END FROM store_meta m WHERE m.id = 1) = 1
  AND EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = :term);

-- cluster/reaper.py OF_THE_DEAD
SELECT r.id, r.lease_id, r.request_no, r.started_at, n.settled, n.progress
FROM nodes n JOIN runs r ON r.session_id = n.id AND r.state = 'RUNNING'
WHERE n.state = 'dead' AND EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = :term)
ORDER BY r.id LIMIT :limit;

-- cluster/reaper.py LATE
SELECT r.id, r.lease_id, r.started_at, r.deadline_at, r.job_id, r.version, r.cancel_at, r.session_id
FROM runs r
WHERE r.state = 'RUNNING' AND r.session_id > '' AND r.deadline_at < foliot_now() - :grace AND EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = :term)
      AND r.deadline_at < :before
      AND (r.deadline_at, r.id) > (:after_at, :after_id)
ORDER BY r.deadline_at, r.id LIMIT :limit;

-- cluster/reaper.py LAST_BEATS
SELECT n.id, n.last_beat_at, n.progress FROM nodes n WHERE n.id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d);

-- cluster/restore.py LIVE_SERVERS
SELECT name FROM nodes WHERE kind = 'server' AND state <> 'dead' AND until > foliot_now() ORDER BY name;

-- cluster/restore.py SESSIONS
SELECT count(*) FROM nodes WHERE state <> 'dead';

-- cluster/restore.py IN_HANDS
SELECT count(*) FROM runs WHERE state = 'RUNNING' AND session_id > '';

-- cluster/restore.py OVERDUE
SELECT count(*), min(o.next_due_at) FROM (
  SELECT c.next_due_at FROM cursors c WHERE c.next_at <= foliot_now() AND c.next_due_at IS NOT NULL
  ORDER BY c.next_at LIMIT :limit
) o;

-- cluster/restore.py TERM
SELECT term FROM leases WHERE name = 'leader';

-- cluster/restore.py RAISE
UPDATE store_meta SET epoch = :epoch, reap_after = foliot_now() + :session_ttl, clock_suspect = 0, clock_ahead_us = NULL
WHERE id = 1 AND epoch = :seen;

-- cluster/restore.py FENCE
UPDATE runs SET ver = ver + 1, lease_id = :nobody WHERE state = 'RUNNING' AND session_id > '';

-- cluster/restore.py END_SESSIONS
UPDATE nodes SET state = 'dead', ended_at = foliot_now() WHERE state <> 'dead';

-- cluster/restore.py NO_LEADER
UPDATE leases SET holder_session = NULL, term = term + :apart, until = foliot_now() - 1 WHERE name = 'leader';

-- cluster/restore.py RUN_IDS.last
SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'runs';

-- cluster/restore.py RUN_IDS.go_on
INSERT OR REPLACE INTO sqlite_sequence (rowid, name, seq)
VALUES ((SELECT rowid FROM sqlite_sequence WHERE name = 'runs'), 'runs', :beyond);

-- cluster/restore.py EVENT_IDS.last
SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'events';

-- cluster/restore.py EVENT_IDS.go_on
INSERT OR REPLACE INTO sqlite_sequence (rowid, name, seq)
VALUES ((SELECT rowid FROM sqlite_sequence WHERE name = 'events'), 'events', :beyond);

-- cluster/restore.py JOB_IDS.last
SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'jobs';

-- cluster/restore.py JOB_IDS.go_on
INSERT OR REPLACE INTO sqlite_sequence (rowid, name, seq)
VALUES ((SELECT rowid FROM sqlite_sequence WHERE name = 'jobs'), 'jobs', :beyond);

-- cluster/roles.py SERVERS
SELECT n.id, n.name, n.role, n.started_at,
       CASE WHEN n.state = 'live' AND n.until >= foliot_now() THEN 1 ELSE 0 END AS is_live, p.document, p.version
FROM nodes n LEFT JOIN failover_policies p ON p.type = 'servers'
WHERE n.state IN ('live', 'draining') AND n.kind = 'server';

-- cluster/roles.py PROMOTE
UPDATE nodes SET role = 'active', role_at = :at, promoted_for = :gone
WHERE id = :session AND role = 'standby' AND state = 'live' AND until >= foliot_now();

-- cluster/roles.py SET_ROLE
UPDATE nodes SET role = :role, role_at = foliot_now(), promoted_for = NULL
WHERE id = :session AND kind = 'server' AND state = 'live' AND coalesce(role, 'active') <> :role;

-- cluster/roles.py IN_TURN
UPDATE leases SET term = term + 1 WHERE name = 'roles';

-- cluster/roles.py FIRST_TURN
INSERT INTO leases (name, holder_session, term, until) VALUES ('roles', NULL, 0, 0) ON CONFLICT DO NOTHING;

-- cluster/roles.py DRAIN
UPDATE nodes SET state = 'draining', drained_by = :by, draining_at = foliot_now() WHERE id = :session AND state = 'live';

-- cluster/roles.py GONE
SELECT n.id, n.name FROM nodes n
WHERE n.kind = 'server' AND coalesce(n.role, 'active') = 'active' AND n.settled <> :settled_all
  AND (n.state = 'dead' AND n.ended_at >= foliot_now() - :look_back OR n.state = 'live' AND n.until < foliot_now())
  AND NOT EXISTS (SELECT 1 FROM nodes p WHERE p.promoted_for = n.id)
ORDER BY n.until DESC, n.id LIMIT 1;

-- cluster/roles.py RULES
SELECT version, document FROM failover_policies WHERE type = 'servers';

-- ending/callbacks.py _LEAVE
DELETE FROM callbacks WHERE run_id = :run_id AND lease_id = :lease_id;

-- ending/callbacks.py _OPEN
INSERT INTO callbacks (id, run_id, lease_id, session_id, key_hash, made_at)
SELECT :id, r.id, r.lease_id, r.session_id, :key_hash, foliot_now() FROM runs r
WHERE r.id = :run_id AND r.lease_id = :lease_id AND r.session_id = :session;

-- ending/callbacks.py _IS_OPEN
SELECT 1 FROM callbacks WHERE id = :id;

-- ending/callbacks.py _FIND
SELECT c.id, c.key_hash, c.session_id, c.run_id, c.lease_id, c.made_at, r.cancel_at, j.namespace, j.name,
       foliot_now() AS now
FROM callbacks c JOIN runs r ON r.id = c.run_id JOIN jobs j ON j.id = r.job_id WHERE c.id = :id;

-- ending/callbacks.py _PROGRESS
UPDATE callbacks SET progress = :progress, told_at = foliot_now(), said_at = coalesce(:said_at, said_at)
WHERE id = :id AND (said_at IS NULL OR :signed = 0 OR said_at < :said_at)
  AND EXISTS (SELECT 1 FROM runs r WHERE r.id = callbacks.run_id AND r.lease_id = callbacks.lease_id);

-- ending/callbacks.py _HOLDS
SELECT 1 FROM runs WHERE id = :run_id AND lease_id = :lease_id;

-- ending/callbacks.py _ENDED
UPDATE callbacks SET end_hash = :end_hash, ended_at = foliot_now() WHERE id = :id;

-- ending/callbacks.py _HOW
SELECT end_hash FROM callbacks WHERE id = :id;

-- ending/cancellation.py OPEN_CHILDREN
SELECT r.id FROM runs r WHERE r.parent_id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d) AND r.state IN ('PENDING', 'RUNNING');

-- ending/cancellation.py ASK
UPDATE runs SET cancel_at = foliot_now(), error = :error, ver = runs.ver + 1 FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d
WHERE runs.id = d.id AND runs.state = 'RUNNING' AND runs.cancel_at IS NULL;

-- ending/cancellation.py FORCE
UPDATE runs SET cancel_at = coalesce(runs.cancel_at, foliot_now()), error = :error, ver = runs.ver + 1,
       deadline_at = CASE WHEN runs.deadline_at < foliot_now() THEN runs.deadline_at ELSE foliot_now() END
FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d
WHERE runs.id = d.id AND runs.state = 'RUNNING';

-- ending/cancellation.py NOTE
UPDATE runs SET cancelled_by = :by, cancel_reason = :reason, ver = runs.ver + 1 FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d
WHERE runs.id = d.id AND runs.state IN ('PENDING', 'RUNNING');

-- ending/ends.py END
UPDATE runs SET state = d.state, kind = d.kind, ver = runs.ver + 1, lease_id = NULL,
       last_lease_id = CASE WHEN d.reported = 1 THEN runs.lease_id ELSE runs.last_lease_id END,
       ended_at = :now, started_at = coalesce(runs.started_at, d.started_at), deadline_at = NULL,
       result = d.result, error_type = d.error_type, checkpoint = coalesce(d.checkpoint, runs.checkpoint),
       deaths = runs.deaths + d.deaths,
       error = coalesce(d.error, CASE WHEN d.state = 'CANCELLED' THEN runs.error END)
FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS lease_id, json_extract(value, '$[2]') AS reported, json_extract(value, '$[3]') AS state, json_extract(value, '$[4]') AS kind, json_extract(value, '$[5]') AS started_at, json_extract(value, '$[6]') AS result, json_extract(value, '$[7]') AS error, json_extract(value, '$[8]') AS error_type, json_extract(value, '$[9]') AS checkpoint, json_extract(value, '$[10]') AS deaths FROM json_each(:d)) AS d
WHERE runs.id = d.id AND runs.lease_id = d.lease_id;

-- ending/ends.py END_WAITING
UPDATE runs SET state = d.state, kind = d.kind, ver = runs.ver + 1, parked = 0, assigned_to = NULL,
       ended_at = :now, error = d.error
FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS ver, json_extract(value, '$[2]') AS state, json_extract(value, '$[3]') AS kind, json_extract(value, '$[4]') AS error FROM json_each(:d)) AS d
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
FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS lease_id, json_extract(value, '$[2]') AS reported, json_extract(value, '$[3]') AS not_before, json_extract(value, '$[4]') AS failures, json_extract(value, '$[5]') AS deaths, json_extract(value, '$[6]') AS checkpoint FROM json_each(:d)) AS d
WHERE runs.id = d.id AND runs.lease_id = d.lease_id AND runs.cancel_at IS NULL;

-- ending/ends.py INSERT_ATTEMPTS
INSERT INTO attempts (run_id, attempt, job_id, cause, lease_id, session_id, fence, leased_at, started_at,
                          ended_at, error, error_type, retried)
SELECT d.run_id, d.attempt, d.job_id, d.cause, d.lease_id, d.session_id, d.fence, d.leased_at, d.started_at,
       :now, d.error, d.error_type, d.retried
FROM (SELECT json_extract(value, '$[0]') AS run_id, json_extract(value, '$[1]') AS attempt, json_extract(value, '$[2]') AS job_id, json_extract(value, '$[3]') AS cause, json_extract(value, '$[4]') AS lease_id, json_extract(value, '$[5]') AS session_id, json_extract(value, '$[6]') AS fence, json_extract(value, '$[7]') AS leased_at, json_extract(value, '$[8]') AS started_at, json_extract(value, '$[9]') AS error, json_extract(value, '$[10]') AS error_type, json_extract(value, '$[11]') AS retried FROM json_each(:d)) AS d WHERE true
ON CONFLICT DO NOTHING;

-- ending/ends.py RETRIES
SELECT d.job_id, (SELECT count(*) FROM attempts a WHERE a.job_id = d.job_id AND a.ended_at > :since
                                                    AND a.retried = 1)
FROM (SELECT json_extract(value, '$[0]') AS job_id FROM json_each(:d)) AS d;

-- ending/failure_signs.py LEAVE
INSERT INTO failure_signs (run_id, job_id, at) SELECT d.run_id, d.job_id, :now FROM (SELECT json_extract(value, '$[0]') AS run_id, json_extract(value, '$[1]') AS job_id FROM json_each(:d)) AS d WHERE true
ON CONFLICT DO NOTHING;

-- ending/fixed_delay.py SET_NEXT
UPDATE cursors SET state = d.state, next_at = d.next_at, next_due_at = d.next_due_at,
       cursor_ver = cursor_ver + 1
FROM (SELECT json_extract(value, '$[0]') AS job_id, json_extract(value, '$[1]') AS version, json_extract(value, '$[2]') AS state, json_extract(value, '$[3]') AS next_at, json_extract(value, '$[4]') AS next_due_at FROM json_each(:d)) AS d
WHERE cursors.job_id = d.job_id AND coalesce(cursors.next_at, -1) = -1 AND cursors.version = d.version
      AND cursors.state = 'active';

-- ending/fixed_delay.py WAIT_FOR
UPDATE runs SET follow = follow | 1, ver = ver + 1
WHERE job_id = :job_id AND state IN ('PENDING', 'RUNNING') AND shard = -1 AND place IS NOT NULL
      AND parent_id IS NULL AND fire_key >= 's:' AND fire_key < 's;' AND triggered_by IS NULL
      AND (follow & 1) = 0;

-- ending/lease_owner.py OWNERS
SELECT n.id, n.owner FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d JOIN nodes n ON n.id = d.id;

-- ending/lease_owner.py LEASES
SELECT r.lease_id, r.last_lease_id, r.session_id FROM runs r WHERE r.id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d);

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
    foliot_now()
 FROM runs r WHERE r.id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d);

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
    foliot_now()
 FROM runs r WHERE r.id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d) ORDER BY r.id;

-- ending/locked_runs.py LOCK_CURSORS
SELECT c.job_id, c.version FROM cursors c WHERE c.job_id IN (SELECT d.job_id FROM (SELECT json_extract(value, '$[0]') AS job_id FROM json_each(:d)) AS d)
ORDER BY c.job_id;

-- ending/logs.py WRITTEN
SELECT d.run_id, r.lease_id, r.attempt, r.session_id,
       (SELECT coalesce(max(l.at_offset + l.size), 0) FROM run_logs l
        WHERE l.run_id = d.run_id AND l.attempt = r.attempt) AS log_end,
       (SELECT coalesce(sum(l.size), 0) FROM run_logs l WHERE l.run_id = d.run_id) AS log_size
FROM (SELECT json_extract(value, '$[0]') AS run_id FROM json_each(:d)) AS d JOIN runs r ON r.id = d.run_id
WHERE r.lease_id IS NOT NULL;

-- ending/logs.py WRITE
INSERT INTO run_logs (run_id, attempt, at_offset, size, written_at, body, parent_id)
SELECT r.id, r.attempt, d.at_offset, d.size, foliot_now(), substr(CAST(:bodies AS BLOB),
              CAST(d.body_at AS INTEGER), CAST(d.body_size AS INTEGER)), r.parent_id
FROM (SELECT json_extract(value, '$[0]') AS run_id, json_extract(value, '$[1]') AS lease_id, json_extract(value, '$[2]') AS at_offset, json_extract(value, '$[3]') AS size, json_extract(value, '$[4]') AS body_at, json_extract(value, '$[5]') AS body_size FROM json_each(:d)) AS d JOIN runs r ON r.id = d.run_id AND r.lease_id = d.lease_id
WHERE true
ON CONFLICT DO NOTHING;

-- ending/logs.py READ
SELECT l.run_id, l.attempt, l.at_offset, l.size, l.body FROM run_logs l
WHERE l.run_id = :run_id AND l.attempt >= :from_attempt AND l.attempt <= :to_attempt
      AND (l.attempt > :from_attempt OR l.at_offset + l.size > :offset)
ORDER BY l.attempt, l.at_offset LIMIT :limit;

-- ending/logs.py END
SELECT coalesce(max(l.at_offset + l.size), 0) FROM run_logs l
WHERE l.run_id = :run_id AND l.attempt = :attempt;

-- ending/lost_shards.py NAMES
SELECT n.id, n.name FROM nodes n WHERE n.id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d);

-- ending/parents.py TALLY
SELECT r.parent_id, r.state, r.kind, count(*) AS runs FROM runs r WHERE r.parent_id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d)
GROUP BY r.parent_id, r.state, r.kind;

-- ending/parents.py COUNT_DOWN
UPDATE runs SET open_children = d.open_children, state = d.state, kind = d.kind, ended_at = d.ended_at,
       result = d.result, ver = runs.ver + 1,
       error = CASE WHEN d.state IN ('RUNNING', 'CANCELLED') THEN coalesce(d.error, runs.error) ELSE d.error END
FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS ver, json_extract(value, '$[2]') AS open_children, json_extract(value, '$[3]') AS state, json_extract(value, '$[4]') AS kind, json_extract(value, '$[5]') AS ended_at, json_extract(value, '$[6]') AS result, json_extract(value, '$[7]') AS error FROM json_each(:d)) AS d
WHERE runs.id = d.id AND runs.ver = d.ver;

-- ending/parents.py INSERT_MERGE
INSERT INTO runs (job_id, version, fire_key, shard, parent_id, due_at, not_before, lane, class, priority,
                      serial, place, parked, follow, state, ver, created_at, triggered_by, reason, params)
SELECT p.job_id, p.version, d.fire_key, -1, p.id, p.due_at, :now, d.lane, p.class, p.priority,
       p.serial, p.place, 0, d.follow, 'PENDING', 1, :now, p.triggered_by, p.reason, p.params
FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS fire_key, json_extract(value, '$[2]') AS lane, json_extract(value, '$[3]') AS follow FROM json_each(:d)) AS d JOIN runs p ON p.id = d.id WHERE true
ON CONFLICT DO NOTHING;

-- ending/retention.py WALK
SELECT r.id, r.created_at,
       CASE WHEN r.ended_at < :before AND r.state NOT IN ('PENDING', 'RUNNING')
                 AND NOT EXISTS (SELECT 1 FROM runs p WHERE p.id = r.parent_id
                                 AND (p.ended_at IS NULL OR p.ended_at >= :before))
            THEN 1 ELSE 0 END
FROM runs r WHERE r.id > :after ORDER BY r.id LIMIT :limit;

-- ending/retention.py DELETE_RUNS
DELETE FROM runs WHERE id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d) AND ended_at IS NOT NULL;

-- ending/retention.py DELETE_ATTEMPTS
DELETE FROM attempts WHERE run_id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d);

-- ending/retention.py DELETE_LOGS
DELETE FROM run_logs WHERE run_id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d);

-- ending/retention.py DELETE_CALLBACKS
DELETE FROM callbacks WHERE run_id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d);

-- ending/retention.py WALK_SKIPS
SELECT id, to_at FROM skips WHERE id > :after ORDER BY id LIMIT :limit;

-- ending/retention.py DELETE_SKIPS
DELETE FROM skips WHERE id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d) AND to_at < :before;

-- ending/retention.py LONG_DEAD
SELECT n.id FROM nodes n
WHERE n.state = 'dead' AND n.until < foliot_now() - :listed AND (n.ended_at IS NULL OR n.ended_at < foliot_now() - :listed)
  AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.session_id = n.id AND r.state = 'RUNNING')
ORDER BY n.id LIMIT :limit;

-- ending/retention.py DELETE_NODES
DELETE FROM nodes WHERE id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d);

-- ending/retention.py OLD_WINDOWS
SELECT 0 AS is_key, w.job_id, w.window_key AS name FROM
  (SELECT job_id, window_key FROM trigger_windows WHERE until < foliot_now() - :listed ORDER BY until LIMIT :limit) AS w
UNION ALL
SELECT 1, k.job_id, k.fire_key FROM
  (SELECT job_id, fire_key FROM trigger_keys WHERE until < foliot_now() ORDER BY until LIMIT :limit) AS k;

-- ending/retention.py DELETE_WINDOWS
DELETE FROM trigger_windows WHERE (job_id, window_key) IN (SELECT d.job_id, d.window_key FROM (SELECT json_extract(value, '$[0]') AS job_id, json_extract(value, '$[1]') AS window_key FROM json_each(:d)) AS d) AND until + 0 < foliot_now() - :listed;

-- ending/retention.py DELETE_KEYS
DELETE FROM trigger_keys WHERE (job_id, fire_key) IN (SELECT d.job_id, d.fire_key FROM (SELECT json_extract(value, '$[0]') AS job_id, json_extract(value, '$[1]') AS fire_key FROM json_each(:d)) AS d) AND until + 0 < foliot_now();

-- ending/success.py GLANCE
   SELECT r.id, r.lease_id, r.last_lease_id, r.started_at, r.leased_at, r.follow, r.job_id,
          CASE WHEN
   (r.follow & 8) > 0 AND (
     SELECT 1 FROM runs p
     WHERE p.job_id = r.job_id AND p.state = 'PENDING' AND p.parked = 1 AND p.place IS NOT NULL
     LIMIT 1) = 1
THEN 1 ELSE 0 END, r.session_id, foliot_now()
   FROM runs r WHERE r.id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d);

-- ending/success.py SUCCEED_AT_ONCE
   UPDATE runs SET state = 'SUCCEEDED', ver = runs.ver + 1, lease_id = NULL, last_lease_id = runs.lease_id,
          ended_at = foliot_now(),
          started_at = coalesce(runs.started_at, CASE WHEN foliot_now() - d.started_us_ago > runs.leased_at
                                                   THEN foliot_now() - d.started_us_ago
                                                   WHEN d.started_us_ago IS NOT NULL THEN runs.leased_at END),
          deadline_at = NULL, result = d.result, error = NULL
   FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS lease_id, json_extract(value, '$[2]') AS started_us_ago, json_extract(value, '$[3]') AS result FROM json_each(:d)) AS d
   WHERE runs.id = d.id AND runs.lease_id = d.lease_id AND coalesce(runs.session_id, '') = :session
         AND (runs.follow & 7703) = 0
   RETURNING runs.id, runs.last_lease_id, CASE WHEN
   (runs.follow & 8) > 0 AND (
     SELECT 1 FROM runs p
     WHERE p.job_id = runs.job_id AND p.state = 'PENDING' AND p.parked = 1 AND p.place IS NOT NULL
     LIMIT 1) = 1
THEN runs.job_id END;

-- ending/success.py SUCCEED
UPDATE runs SET state = 'SUCCEEDED', ver = runs.ver + 1, lease_id = NULL, last_lease_id = runs.lease_id,
       ended_at = :now, started_at = coalesce(runs.started_at, d.started_at), deadline_at = NULL,
       result = d.result, error = NULL
FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS lease_id, json_extract(value, '$[2]') AS started_at, json_extract(value, '$[3]') AS result FROM json_each(:d)) AS d
WHERE runs.id = d.id AND runs.lease_id = d.lease_id;

-- firing/assigned_fires.py STEP
UPDATE cursors SET next_at = d.next_at, next_due_at = d.next_due_at, route_state = d.state,
       cursor_ver = cursor_ver + 1
FROM (SELECT json_extract(value, '$[0]') AS job_id, json_extract(value, '$[1]') AS seen, json_extract(value, '$[2]') AS next_at, json_extract(value, '$[3]') AS next_due_at, json_extract(value, '$[4]') AS state FROM json_each(:d)) AS d
WHERE cursors.job_id = d.job_id AND cursors.cursor_ver = d.seen;

-- firing/assigned_fires.py INSERT
INSERT INTO runs (job_id, version, fire_key, shard, due_at, not_before, lane, class, priority, serial, place,
                      parked, assigned_to, assigned_until, assigned_rank, follow, state, ver, created_at)
SELECT d.job_id, d.version, d.fire_key, -1, d.due_at, d.not_before, d.shape >> 16, 0, (d.shape >> 12) & 15,
       (d.shape >> 2) & 3, d.place, 2, d.session,
       CASE WHEN d.session <> '*' THEN foliot_now() + 30000000 END,
       d.not_before - ((d.shape >> 12) & 15) * 60000000, (d.shape >> 4) & 255, 'PENDING', 1, :now
FROM (SELECT json_extract(value, '$[0]') AS job_id, json_extract(value, '$[1]') AS version, json_extract(value, '$[2]') AS fire_key, json_extract(value, '$[3]') AS due_at, json_extract(value, '$[4]') AS not_before, json_extract(value, '$[5]') AS place, json_extract(value, '$[6]') AS shape, json_extract(value, '$[7]') AS session FROM json_each(:d)) AS d WHERE true
ON CONFLICT DO NOTHING;

-- firing/backfills.py ADD
INSERT INTO backfills (job_id, version, from_at, to_at, selection, parallel, newest_first, state, ver, instants,
                           total, inserted, succeeded, failed, live, params, created_at, created_by, reason,
                           request_key)
VALUES (:job_id, :version, :from_at, :to_at, :selection, :parallel, :newest_first, 'active', 1, :instants,
        :total, 0, 0, 0, '[]', :params, foliot_now(), :created_by, :reason, :request_key)
ON CONFLICT DO NOTHING
RETURNING id;

-- firing/backfills.py ASKED
SELECT
    b.id, b.job_id, j.namespace, j.name, j.deleted_at, b.version, b.from_at, b.to_at, b.selection, b.parallel,
    b.newest_first, b.state, b.ver, b.instants, b.total, b.inserted, b.succeeded, b.failed, b.live, b.params,
    b.created_at, b.created_by, b.reason, b.ended_at FROM backfills b JOIN jobs j ON j.id = b.job_id WHERE b.request_key = :request_key;

-- firing/backfills.py ONE
SELECT
    b.id, b.job_id, j.namespace, j.name, j.deleted_at, b.version, b.from_at, b.to_at, b.selection, b.parallel,
    b.newest_first, b.state, b.ver, b.instants, b.total, b.inserted, b.succeeded, b.failed, b.live, b.params,
    b.created_at, b.created_by, b.reason, b.ended_at FROM backfills b JOIN jobs j ON j.id = b.job_id WHERE b.id = :id;

-- firing/backfills.py PAGE
SELECT
    b.id, b.job_id, j.namespace, j.name, j.deleted_at, b.version, b.from_at, b.to_at, b.selection, b.parallel,
    b.newest_first, b.state, b.ver, b.instants, b.total, b.inserted, b.succeeded, b.failed, b.live, b.params,
    b.created_at, b.created_by, b.reason, b.ended_at FROM backfills b JOIN jobs j ON j.id = b.job_id WHERE b.id < :before AND (:any_namespace = 1 OR j.namespace = :namespace) ORDER BY b.id DESC LIMIT :rows;

-- firing/backfills.py PAGE_OF_JOB
SELECT
    b.id, b.job_id, j.namespace, j.name, j.deleted_at, b.version, b.from_at, b.to_at, b.selection, b.parallel,
    b.newest_first, b.state, b.ver, b.instants, b.total, b.inserted, b.succeeded, b.failed, b.live, b.params,
    b.created_at, b.created_by, b.reason, b.ended_at FROM backfills b JOIN jobs j ON j.id = b.job_id WHERE b.job_id = :job_id AND b.id < :before ORDER BY b.id DESC LIMIT :rows;

-- firing/backfills.py TO_GO_ON
SELECT
    b.id, b.job_id, j.namespace, j.name, j.deleted_at, b.version, b.from_at, b.to_at, b.selection, b.parallel,
    b.newest_first, b.state, b.ver, b.instants, b.total, b.inserted, b.succeeded, b.failed, b.live, b.params,
    b.created_at, b.created_by, b.reason, b.ended_at FROM backfills b JOIN jobs j ON j.id = b.job_id WHERE b.id = :id AND b.state = 'active' AND (EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = :term) OR :term IS NULL) AND (SELECT m.maintenance_until FROM store_meta m WHERE m.id = 1) <= foliot_now();

-- firing/backfills.py ACTIVE
SELECT id FROM backfills WHERE state = 'active' AND id > :after ORDER BY id LIMIT :rows;

-- firing/backfills.py SET_STATE
UPDATE backfills SET state = :state, ver = ver + 1, ended_at = :ended_at WHERE id = :id AND state IN ('active', 'paused');

-- firing/backfills.py WENT_ON
UPDATE backfills SET inserted = :inserted, succeeded = :succeeded, failed = :failed, live = :live, state = :state, ended_at = :ended_at, ver = ver + 1 WHERE id = :id AND ver = :seen AND (EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = :term) OR :term IS NULL);

-- firing/backfills.py STATES
SELECT runs.id, runs.state FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d JOIN runs ON runs.id = d.id;

-- firing/backfills.py BY_KEY
SELECT runs.id, runs.fire_key, runs.triggered_by FROM (SELECT json_extract(value, '$[0]') AS job_id, json_extract(value, '$[1]') AS fire_key FROM json_each(:d)) AS d JOIN runs ON runs.job_id = d.job_id AND runs.fire_key = d.fire_key AND runs.shard = -1;

-- firing/backfills.py SCHEDULED
SELECT due_at, state, id, fire_key FROM runs WHERE job_id = :job_id AND fire_key > :after AND fire_key < :past AND shard = -1 AND due_at >= :from_at AND due_at < :to_at ORDER BY fire_key LIMIT 5000;

-- firing/backfills.py BACKFILLED
SELECT due_at, state, id FROM runs WHERE job_id = :job_id AND fire_key >= 'b:' AND fire_key < 'b;' AND shard = -1 AND due_at >= :from_at AND due_at < :to_at ORDER BY id DESC LIMIT 100000;

-- firing/line.py BUMP
UPDATE cursors SET cursor_ver = cursor_ver + d.bump FROM (SELECT json_extract(value, '$[0]') AS job_id, json_extract(value, '$[1]') AS bump FROM json_each(:d)) AS d WHERE cursors.job_id = d.job_id;

-- firing/line.py LOCK
SELECT cursors.job_id, cursors.cursor_ver, cursors.version FROM cursors
WHERE cursors.job_id IN (SELECT d.job_id FROM (SELECT json_extract(value, '$[0]') AS job_id FROM json_each(:d)) AS d) ORDER BY cursors.job_id;

-- firing/line.py PLACES
SELECT cursors.job_id, cursors.cursor_ver, cursors.version, jobs.deleted_at FROM (SELECT json_extract(value, '$[0]') AS job_id FROM json_each(:d)) AS d
JOIN cursors ON cursors.job_id = d.job_id JOIN jobs ON jobs.id = d.job_id;

-- firing/line.py PLACES_AND_QUEUE
SELECT cursors.job_id, cursors.cursor_ver, cursors.version, jobs.deleted_at, (
  SELECT 1 FROM runs r
  WHERE r.job_id = d.job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place IS NOT NULL
        AND r.state = 'PENDING' AND r.class <> 1
  ORDER BY r.place DESC, r.id DESC LIMIT 1 OFFSET 99)
FROM (SELECT json_extract(value, '$[0]') AS job_id FROM json_each(:d)) AS d
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
    ORDER BY r.place, r.id LIMIT :cap
  ) q
) AS counts
FROM (SELECT json_extract(value, '$[0]') AS job_id FROM json_each(:d)) AS d
WHERE EXISTS (SELECT 1 FROM runs r WHERE r.job_id = d.job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1);

-- firing/line.py NEWEST_FIRES
SELECT d.job_id, (SELECT r.state FROM runs r
                  WHERE r.job_id = d.job_id AND r.fire_key >= 's:' AND r.fire_key < 's;' AND r.shard = -1 AND r.triggered_by IS NULL
                  ORDER BY r.fire_key DESC LIMIT 1)
FROM (SELECT json_extract(value, '$[0]') AS job_id FROM json_each(:d)) AS d;

-- firing/line_heads.py HEADS
SELECT h.id, h.state FROM runs h WHERE h.id IN (
  SELECT (SELECT r.id FROM runs r
          WHERE r.job_id = d.job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place IS NOT NULL
          ORDER BY r.place, r.id LIMIT 1)
  FROM (SELECT json_extract(value, '$[0]') AS job_id FROM json_each(:d)) AS d);

-- firing/line_heads.py PARKED
SELECT r.id, r.ver FROM runs r
WHERE r.id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d) AND r.state = 'PENDING' AND r.parked = 1 AND r.place IS NOT NULL
ORDER BY r.id;

-- firing/line_heads.py PARKED_SHARDS
SELECT r.id, r.ver FROM runs r
WHERE r.parent_id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d) AND r.state = 'PENDING' AND r.parked = 1
ORDER BY r.id;

-- firing/line_heads.py UNPARK
UPDATE runs SET parked = CASE WHEN (runs.follow & 256) <> 0 THEN 2 ELSE 0 END, ver = runs.ver + 1,
       assigned_to = CASE WHEN (runs.follow & 256) <> 0 THEN runs.session_id ELSE runs.assigned_to END,
       not_before = CASE WHEN runs.not_before < foliot_now() THEN foliot_now() ELSE runs.not_before END
FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS ver FROM json_each(:d)) AS d
WHERE runs.id = d.id AND runs.ver = d.ver;

-- firing/new_runs.py INSERT_RUNS
INSERT INTO runs (job_id, version, fire_key, shard, due_at, not_before, lane, class, priority, serial, place,
                      parked, follow, state, ver, created_at)
SELECT d.job_id, d.version, d.fire_key, -1, d.due_at, d.not_before, d.shape >> 16, d.shape & 1,
       (d.shape >> 12) & 15, (d.shape >> 2) & 3, d.place, (d.shape >> 1) & 1, (d.shape >> 4) & 255, 'PENDING', 1, :now
FROM (SELECT json_extract(value, '$[0]') AS job_id, json_extract(value, '$[1]') AS version, json_extract(value, '$[2]') AS fire_key, json_extract(value, '$[3]') AS due_at, json_extract(value, '$[4]') AS not_before, json_extract(value, '$[5]') AS place, json_extract(value, '$[6]') AS shape FROM json_each(:d)) AS d WHERE true
ON CONFLICT DO NOTHING;

-- firing/new_runs.py INSERT_OTHER_RUNS
INSERT INTO runs (job_id, version, fire_key, shard, due_at, not_before, lane, class, priority, serial, place,
                      parked, follow, state, kind, ver, open_children, created_at, ended_at, error, triggered_by,
                      reason, params)
SELECT d.job_id, d.version, d.fire_key, -1, d.due_at, d.not_before, d.lane, d.class, d.priority, d.serial, d.place,
       d.parked, d.follow, d.state, d.kind, 1, d.open_children, :now, d.ended_at, d.error, d.triggered_by,
       d.reason, d.params
FROM (SELECT json_extract(value, '$[0]') AS job_id, json_extract(value, '$[1]') AS version, json_extract(value, '$[2]') AS fire_key, json_extract(value, '$[3]') AS due_at, json_extract(value, '$[4]') AS not_before, json_extract(value, '$[5]') AS lane, json_extract(value, '$[6]') AS class, json_extract(value, '$[7]') AS priority, json_extract(value, '$[8]') AS serial, json_extract(value, '$[9]') AS place, json_extract(value, '$[10]') AS parked, json_extract(value, '$[11]') AS follow, json_extract(value, '$[12]') AS state, json_extract(value, '$[13]') AS kind, json_extract(value, '$[14]') AS open_children, json_extract(value, '$[15]') AS ended_at, json_extract(value, '$[16]') AS error, json_extract(value, '$[17]') AS triggered_by, json_extract(value, '$[18]') AS reason, json_extract(value, '$[19]') AS params FROM json_each(:d)) AS d WHERE true
ON CONFLICT DO NOTHING;

-- firing/new_runs.py INSERT_CHILDREN
INSERT INTO runs (job_id, version, fire_key, shard, parent_id, due_at, not_before, lane, class, priority,
                      serial, place, parked, follow, state, ver, created_at, triggered_by, reason, params)
SELECT p.job_id, p.version, p.fire_key, d.shard, p.id, p.due_at, p.not_before, p.lane,
       CASE WHEN d.is_surplus = 1 AND p.class = 0 AND p.serial = 0 AND (p.follow & 128) = 0
            THEN 2 ELSE p.class END,
       p.priority, p.serial, p.place, p.parked, d.follow | (p.follow & 224), 'PENDING', 1, :now,
       p.triggered_by, p.reason, p.params
FROM (SELECT json_extract(value, '$[0]') AS job_id, json_extract(value, '$[1]') AS fire_key, json_extract(value, '$[2]') AS place, json_extract(value, '$[3]') AS shard, json_extract(value, '$[4]') AS follow, json_extract(value, '$[5]') AS is_surplus FROM json_each(:d)) AS d
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
       d.follow | (p.follow & 224), 'PENDING', 1, :now, p.triggered_by, p.reason, p.params
FROM (SELECT json_extract(value, '$[0]') AS job_id, json_extract(value, '$[1]') AS fire_key, json_extract(value, '$[2]') AS place, json_extract(value, '$[3]') AS shard, json_extract(value, '$[4]') AS session, json_extract(value, '$[5]') AS follow FROM json_each(:d)) AS d
JOIN runs p ON p.job_id = d.job_id AND p.fire_key = d.fire_key AND p.shard = -1
WHERE p.place = d.place AND p.state = 'RUNNING'
ON CONFLICT DO NOTHING;

-- firing/new_runs.py INSERT_KEPT
INSERT INTO runs (job_id, version, fire_key, shard, parent_id, due_at, not_before, lane, class, priority,
                      serial, place, parked, follow, state, ver, created_at, ended_at, triggered_by, reason, params,
                      result)
SELECT p.job_id, p.version, p.fire_key, o.shard, p.id, p.due_at, p.not_before, p.lane, p.class, p.priority,
       p.serial, p.place, 0, 4 | (p.follow & 224), 'SUCCEEDED', 1, :now, :now,
       p.triggered_by, d.reason, p.params, o.result
FROM (SELECT json_extract(value, '$[0]') AS job_id, json_extract(value, '$[1]') AS fire_key, json_extract(value, '$[2]') AS place, json_extract(value, '$[3]') AS kept_of, json_extract(value, '$[4]') AS reason FROM json_each(:d)) AS d
JOIN runs p ON p.job_id = d.job_id AND p.fire_key = d.fire_key AND p.shard = -1
JOIN runs o ON o.parent_id = d.kept_of AND o.shard >= 0 AND o.state = 'SUCCEEDED'
WHERE p.place = d.place AND p.state = 'RUNNING'
ON CONFLICT DO NOTHING;

-- firing/own_shards.py SHARDS
SELECT r.shard, r.state, r.session_id, n.name FROM runs r LEFT JOIN nodes n ON n.id = r.session_id
WHERE r.parent_id = :id AND r.shard >= 0 ORDER BY r.shard;

-- firing/own_shards.py NAMED
SELECT n.id, n.name, n.group_name, n.namespace, n.labels, n.handlers FROM nodes n
WHERE n.state = 'live' AND n.kind <> 'server' AND n.name IN (SELECT d.name FROM (SELECT json_extract(value, '$[0]') AS name FROM json_each(:d)) AS d);

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
        LIMIT :most
      ) q
    ) FROM (SELECT json_extract(value, '$[0]') AS job_id FROM json_each(:d)) AS d;

-- firing/record.py STEP
UPDATE cursors SET next_at = d.next_at, next_due_at = d.next_due_at, cursor_ver = cursor_ver + 1
FROM (SELECT json_extract(value, '$[0]') AS job_id, json_extract(value, '$[1]') AS seen, json_extract(value, '$[2]') AS next_at, json_extract(value, '$[3]') AS next_due_at FROM json_each(:d)) AS d
WHERE cursors.job_id = d.job_id AND cursors.cursor_ver = d.seen;

-- firing/record.py MOVE
UPDATE cursors SET version = d.version, state = d.state, next_at = d.next_at, next_due_at = d.next_due_at,
       cursor_ver = cursor_ver + d.bump, remaining = d.remaining, skip_from = d.skip_from,
       skip_reason = d.skip_reason, skip_why = d.skip_why, trouble = d.trouble
FROM (SELECT json_extract(value, '$[0]') AS job_id, json_extract(value, '$[1]') AS seen, json_extract(value, '$[2]') AS bump, json_extract(value, '$[3]') AS version, json_extract(value, '$[4]') AS state, json_extract(value, '$[5]') AS next_at, json_extract(value, '$[6]') AS next_due_at, json_extract(value, '$[7]') AS remaining, json_extract(value, '$[8]') AS skip_from, json_extract(value, '$[9]') AS skip_reason, json_extract(value, '$[10]') AS skip_why, json_extract(value, '$[11]') AS trouble FROM json_each(:d)) AS d
WHERE cursors.job_id = d.job_id AND cursors.cursor_ver = d.seen;

-- firing/record.py INSERT_SKIPS
INSERT INTO skips (job_id, fire_key, from_at, to_at, count, reason, why, cause, version, decided_at, held)
SELECT d.job_id, d.fire_key, d.from_at, d.to_at, d.count, d.reason, d.why, d.cause, d.version, :now, d.held
FROM (SELECT json_extract(value, '$[0]') AS job_id, json_extract(value, '$[1]') AS fire_key, json_extract(value, '$[2]') AS from_at, json_extract(value, '$[3]') AS to_at, json_extract(value, '$[4]') AS count, json_extract(value, '$[5]') AS reason, json_extract(value, '$[6]') AS why, json_extract(value, '$[7]') AS cause, json_extract(value, '$[8]') AS version, json_extract(value, '$[9]') AS held FROM json_each(:d)) AS d WHERE true
ON CONFLICT DO NOTHING;

-- firing/record.py EXTEND_SKIPS
UPDATE skips SET to_at = d.to_at, count = skips.count + d.count, decided_at = :now
FROM (SELECT json_extract(value, '$[0]') AS job_id, json_extract(value, '$[1]') AS fire_key, json_extract(value, '$[2]') AS from_at, json_extract(value, '$[3]') AS to_at, json_extract(value, '$[4]') AS count, json_extract(value, '$[5]') AS reason, json_extract(value, '$[6]') AS why, json_extract(value, '$[7]') AS cause, json_extract(value, '$[8]') AS version, json_extract(value, '$[9]') AS held FROM json_each(:d)) AS d
WHERE skips.job_id = d.job_id AND skips.fire_key = d.fire_key;

-- firing/record.py KNOWN_SKIPS
SELECT skips.job_id, skips.fire_key FROM (SELECT json_extract(value, '$[0]') AS job_id, json_extract(value, '$[1]') AS fire_key FROM json_each(:d)) AS d
JOIN skips ON skips.job_id = d.job_id AND skips.fire_key = d.fire_key;

-- firing/record.py RESUMED
UPDATE jobs SET pause_reason = NULL, paused_by = NULL, paused_at = NULL, updated_at = :now FROM (SELECT json_extract(value, '$[0]') AS job_id FROM json_each(:d)) AS d WHERE jobs.id = d.job_id;

-- firing/record.py NO_LONGER_HELD
UPDATE skips SET held = 0 FROM (SELECT json_extract(value, '$[0]') AS job_id FROM json_each(:d)) AS d WHERE skips.job_id = d.job_id AND skips.held = 1;

-- firing/record.py WAITING_CATCH_UP
SELECT runs.id, runs.ver, runs.priority FROM (SELECT json_extract(value, '$[0]') AS job_id FROM json_each(:d)) AS d
JOIN runs ON runs.job_id = d.job_id
WHERE runs.state IN ('PENDING', 'RUNNING') AND runs.shard = -1 AND runs.state = 'PENDING'
      AND runs.place IS NOT NULL AND runs.class = 1 AND runs.attempt = 0
ORDER BY runs.id LIMIT :limit;

-- firing/record.py PROMOTE
UPDATE runs SET class = 0, not_before = :now, ver = runs.ver + 1,
       assigned_rank = CASE WHEN runs.parked = 2 THEN d.rank_ ELSE runs.assigned_rank END
FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS ver, json_extract(value, '$[2]') AS rank_ FROM json_each(:d)) AS d
WHERE runs.id = d.id AND runs.ver = d.ver AND runs.state = 'PENDING';

-- firing/repair.py WITHOUT_NEXT
SELECT j.id FROM jobs j JOIN cursors c ON c.job_id = j.id
WHERE j.from_end = 1 AND j.id > :after AND coalesce(c.next_at, -1) = -1 AND c.state = 'active'
ORDER BY j.from_end, j.id LIMIT :limit;

-- firing/repair.py UNKNOWN
SELECT j.id FROM jobs j WHERE j.from_end IS NULL ORDER BY j.from_end, j.id LIMIT :limit;

-- firing/repair.py LEARN
UPDATE jobs SET from_end = CASE WHEN EXISTS (
  SELECT 1 FROM job_versions v
  WHERE v.job_id = jobs.id AND v.version = jobs.version AND v.definition LIKE :marked) THEN 1 ELSE 0 END
FROM (SELECT json_extract(value, '$[0]') AS job_id FROM json_each(:d)) AS d
WHERE jobs.id = d.job_id;

-- firing/repair.py LOCK
SELECT c.job_id, c.version, c.state, c.next_at, c.next_due_at, c.cursor_ver, c.remaining, c.skip_from,
       c.skip_reason, c.skip_why
FROM cursors c WHERE c.job_id IN (SELECT d.job_id FROM (SELECT json_extract(value, '$[0]') AS job_id FROM json_each(:d)) AS d) AND c.next_at IS NULL AND c.state = 'active'
  AND (EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = :term) OR :term IS NULL)
ORDER BY c.job_id;

-- firing/sweep.py DUE_LATER
   SELECT id, job_id, version FROM runs WHERE state = 'PENDING' AND place IS NULL AND not_before <= foliot_now()
ORDER BY not_before, id LIMIT :limit;

-- firing/sweep.py DUE_LATER_OF_OTHERS
   SELECT id, job_id, version FROM runs WHERE state = 'PENDING' AND place IS NULL AND not_before <= foliot_now()
AND job_id NOT IN (SELECT d.job_id FROM (SELECT json_extract(value, '$[0]') AS job_id FROM json_each(:d)) AS d) ORDER BY not_before, id LIMIT :limit;

-- firing/sweep.py DUE_INDEED
   SELECT id, job_id, version FROM runs WHERE state = 'PENDING' AND place IS NULL AND not_before <= foliot_now()
AND job_id NOT IN (SELECT d.job_id FROM (SELECT json_extract(value, '$[0]') AS job_id FROM json_each(:d)) AS d) AND (not_before <= :believed OR created_at > :good) ORDER BY not_before, id LIMIT :limit;

-- firing/sweep.py FREE_CURSORS
SELECT cursors.job_id FROM cursors
WHERE cursors.job_id IN (SELECT d.job_id FROM (SELECT json_extract(value, '$[0]') AS job_id FROM json_each(:d)) AS d) ORDER BY cursors.job_id;

-- firing/sweep.py STILL_LATER
SELECT runs.id, runs.job_id, runs.version, runs.fire_key, runs.ver, runs.serial, runs.priority, runs.follow,
       runs.not_before
FROM runs
WHERE runs.id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d) AND runs.state = 'PENDING' AND runs.place IS NULL
      AND runs.not_before <= foliot_now()
ORDER BY runs.id;

-- firing/sweep.py ADMIT
UPDATE runs SET version = d.version, lane = d.lane, priority = d.priority, serial = d.serial, place = d.place,
       parked = d.parked, state = d.state, open_children = d.children, follow = d.follow, not_before = :now,
       ver = runs.ver + 1
FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS ver, json_extract(value, '$[2]') AS version, json_extract(value, '$[3]') AS lane, json_extract(value, '$[4]') AS priority, json_extract(value, '$[5]') AS serial, json_extract(value, '$[6]') AS place, json_extract(value, '$[7]') AS parked, json_extract(value, '$[8]') AS state, json_extract(value, '$[9]') AS children, json_extract(value, '$[10]') AS follow FROM json_each(:d)) AS d
WHERE runs.id = d.id AND runs.ver = d.ver AND runs.state = 'PENDING' AND runs.place IS NULL;

-- firing/sweep.py PARKED_JOBS
WITH RECURSIVE waiting (job_id, serial, n) AS (
  SELECT r.job_id, r.serial, 1 FROM runs r
  WHERE r.id = (SELECT x.id FROM runs x
                WHERE x.state = 'PENDING' AND x.parked = 1 AND x.place IS NOT NULL AND x.job_id > :after
                ORDER BY x.job_id, x.place, x.id LIMIT 1)
  UNION ALL
  SELECT r.job_id, r.serial, waiting.n + 1 FROM waiting
  JOIN runs r ON r.id = (SELECT x.id FROM runs x
                         WHERE x.state = 'PENDING' AND x.parked = 1 AND x.place IS NOT NULL
                               AND x.job_id > waiting.job_id
                         ORDER BY x.job_id, x.place, x.id LIMIT 1)
  WHERE waiting.n < :limit
)
SELECT waiting.job_id, waiting.serial FROM waiting;

-- firing/sweep.py REPLACED_WAITING
SELECT r.id, r.ver FROM (SELECT json_extract(value, '$[0]') AS job_id FROM json_each(:d)) AS d
JOIN runs r ON r.job_id = d.job_id
WHERE r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.state = 'PENDING' AND r.parent_id IS NULL
      AND
r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
  SELECT 1 FROM runs l WHERE l.job_id = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                         AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
UNION ALL
SELECT c.id, c.ver FROM (SELECT json_extract(value, '$[0]') AS job_id FROM json_each(:d)) AS d
JOIN runs r ON r.job_id = d.job_id
JOIN runs c ON c.parent_id = r.id
WHERE r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.state = 'RUNNING' AND c.state = 'PENDING'
      AND
r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
  SELECT 1 FROM runs l WHERE l.job_id = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                         AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
LIMIT :limit;

-- firing/triggers.py JOBS
SELECT d.n, jobs.id FROM (SELECT json_extract(value, '$[0]') AS n, json_extract(value, '$[1]') AS namespace, json_extract(value, '$[2]') AS name FROM json_each(:d)) AS d
JOIN jobs ON jobs.namespace = d.namespace AND jobs.name = d.name AND jobs.deleted_at = 0;

-- firing/triggers.py BY_KEY
SELECT d.n, coalesce(r.id, o.id) AS id, coalesce(r.not_before, o.not_before) AS not_before, k.asked FROM (SELECT json_extract(value, '$[0]') AS n, json_extract(value, '$[1]') AS job_id, json_extract(value, '$[2]') AS fire_key FROM json_each(:d)) AS d
LEFT JOIN runs r ON r.job_id = d.job_id AND r.fire_key = d.fire_key AND r.shard = -1
LEFT JOIN trigger_keys k ON k.job_id = d.job_id AND k.fire_key = d.fire_key AND (r.id IS NULL OR k.run_id = r.id)
LEFT JOIN runs o ON o.id = k.run_id
WHERE r.id IS NOT NULL OR o.id IS NOT NULL;

-- firing/triggers.py KEPT
SELECT r.parent_id, r.shard FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d
JOIN runs r ON r.parent_id = d.id AND r.shard >= 0 AND r.state = 'SUCCEEDED';

-- firing/windows.py FIND
SELECT w.run_id, w.opened_at, w.until, w.used, r.not_before FROM trigger_windows w JOIN runs r ON r.id = w.run_id
WHERE w.job_id = :job_id AND w.window_key = :window_key;

-- firing/windows.py PUT_OFF
UPDATE runs SET params = :params, due_at = :at, not_before = :at, priority = coalesce(:priority, priority),
       triggered_by = :by, reason = :reason, ver = ver + 1
WHERE id = :run_id AND state = 'PENDING' AND attempt = 0 AND not_before > :now AND cancel_at IS NULL;

-- firing/windows.py LONGER
UPDATE trigger_windows SET until = :until WHERE job_id = :job_id AND window_key = :window_key;

-- firing/windows.py AGAIN
UPDATE trigger_windows SET run_id = :run_id, opened_at = :opened_at, until = :until, used = :used WHERE job_id = :job_id AND window_key = :window_key;

-- firing/windows.py OPEN
INSERT INTO trigger_windows (job_id, window_key, run_id, opened_at, until, used) VALUES (:job_id, :window_key, :run_id, :opened_at, :until, :used);

-- firing/windows.py KEEP_KEY
INSERT INTO trigger_keys (job_id, fire_key, run_id, asked, until)
VALUES (:job_id, :fire_key, :run_id, :asked, :until)
 ON CONFLICT (job_id, fire_key) DO UPDATE SET run_id = :run_id, asked = :asked, until = :until;

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
  WHERE ready.not_before > foliot_now()
)
SELECT foliot_now(),
       (SELECT c.next_at FROM cursors c WHERE c.next_at >= :low ORDER BY c.next_at, c.job_id LIMIT 1),
       CASE WHEN EXISTS (SELECT 1 FROM ready WHERE not_before <= foliot_now()) THEN 1 ELSE 0 END,
       (SELECT 1 FROM runs r WHERE r.state = 'PENDING' AND r.parked = 1 AND r.place IS NOT NULL
        ORDER BY r.job_id, r.place, r.id LIMIT 1),
       (SELECT 1 FROM runs r WHERE r.state = 'PENDING' AND r.place IS NULL AND r.not_before <= foliot_now()
        ORDER BY r.not_before, r.id LIMIT 1),
       m.epoch, m.clock_suspect, m.lane_seq, l.holder_session, l.term, l.until, m.clock_ahead_us,
       CASE WHEN m.clock_suspect = 1 THEN m.last_good_time END,
       (SELECT h.holder_session FROM leases h WHERE h.name = 'heir' AND h.until > foliot_now()),
       (SELECT 1 FROM failovers f WHERE f.ended_at IS NULL ORDER BY f.ended_at, f.id LIMIT 1),
       (SELECT 1 FROM nodes n WHERE n.state IN ('live', 'draining') AND n.until < foliot_now() + :soon LIMIT 1),
       m.maintenance_until,
       (SELECT 1 FROM runs r WHERE r.state = 'PENDING' AND r.parked = 2 ORDER BY r.assigned_until, r.id LIMIT 1),
       (SELECT k.wake_at FROM limit_keys k WHERE k.wake_at > 0 ORDER BY k.wake_at LIMIT 1)
FROM store_meta m JOIN leases l ON l.name = 'leader'
WHERE m.id = 1;

-- firing_store.py TAKE
SELECT job_id, version, state, next_at, next_due_at, cursor_ver, remaining, skip_from, skip_reason, skip_why, trouble, foliot_now(), (
  SELECT c.next_at FROM cursors c WHERE c.next_at > CASE WHEN :until < foliot_now() THEN :until ELSE foliot_now() END
  ORDER BY c.next_at, c.job_id LIMIT 1) AS later
FROM cursors WHERE next_at <= foliot_now() AND next_at >= :low AND next_at <= :until AND (SELECT m.maintenance_until FROM store_meta m WHERE m.id = 1) <= foliot_now()
ORDER BY next_at, job_id LIMIT :limit;

-- firing_store.py TAKE_OVERDUE
WITH overdue AS MATERIALIZED (
  SELECT c.job_id FROM cursors c WHERE c.next_at <= foliot_now() - :overdue AND c.next_at <= :until
  ORDER BY c.next_at, c.job_id LIMIT :limit
)
SELECT job_id, version, state, next_at, next_due_at, cursor_ver, remaining, skip_from, skip_reason, skip_why, trouble, foliot_now(), NULL AS later
FROM cursors WHERE job_id IN (SELECT o.job_id FROM overdue o) AND next_at + 0 <= foliot_now() AND next_at + 0 <= :until
  AND (SELECT m.maintenance_until FROM store_meta m WHERE m.id = 1) <= foliot_now()
ORDER BY job_id;

-- job_store.py KNOWN
SELECT j.id, j.version, v.hash, j.source, j.source_module
FROM jobs j JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
WHERE j.namespace = :namespace AND j.name = :name AND j.deleted_at = 0;

-- job_store.py LANE
SELECT l.document FROM job_versions v JOIN lanes l ON l.id = v.lane_id
WHERE v.job_id = :job_id AND v.version = :version;

-- job_store.py DOCUMENT
SELECT definition FROM job_versions WHERE job_id = :job_id AND version = :version;

-- job_store.py INSERT_JOB
INSERT INTO jobs (namespace, name, deleted_at, version, source, created_at, updated_at, from_end,
                      source_module, source_group)
SELECT :namespace, :name, 0, 1, :source, foliot_now(), foliot_now(), :from_end, :module, :group_name WHERE true
ON CONFLICT DO NOTHING;

-- job_store.py JOB_ID
SELECT id FROM jobs WHERE namespace = :namespace AND name = :name AND deleted_at = 0 AND version = 1;

-- job_store.py NEW_VERSION
UPDATE jobs SET version = :version, moving = :version, source = :source, updated_at = :now, from_end = :from_end,
       source_module = CASE WHEN :of_code = 1 THEN coalesce(:module, source_module) END,
       source_group = CASE WHEN :of_code = 1 THEN :group_name END,
       undeclared_at = CASE WHEN :of_code = 1 THEN undeclared_at END,
       retirement = CASE WHEN :of_code = 1 THEN retirement END
WHERE id = :job_id AND version = :seen AND deleted_at = 0;

-- job_store.py OF_CODE
UPDATE jobs SET source = 'code', source_module = coalesce(:module, source_module), source_group = :group_name
WHERE id = :job_id AND version = :version AND deleted_at = 0;

-- job_store.py PRESENT
SELECT j.name FROM (SELECT json_extract(value, '$[0]') AS name FROM json_each(:d)) AS d JOIN jobs j ON j.namespace = :namespace AND j.name = d.name AND j.deleted_at = 0;

-- job_store.py OF_CODE_COUNT
SELECT count(*) FROM (SELECT 1 AS one FROM jobs WHERE namespace = :namespace AND deleted_at = 0 AND source = 'code' LIMIT :limit) q;

-- job_store.py NOTE_PAUSE
UPDATE jobs SET pause_reason = :reason, paused_by = :by, paused_at = :at, updated_at = :now, retirement = CASE WHEN undeclared_at IS NOT NULL THEN 2 END, renamed_to = NULL WHERE id = :job_id AND deleted_at = 0;

-- job_store.py NOTE_PAUSE_AGAIN
UPDATE jobs SET pause_reason = :reason, paused_by = :by, updated_at = :now, retirement = CASE WHEN undeclared_at IS NOT NULL THEN 2 END, renamed_to = NULL WHERE id = :job_id AND deleted_at = 0;

-- job_store.py DELETE
UPDATE jobs SET deleted_at = :now, updated_at = :now, moving = version WHERE id = :job_id AND deleted_at = 0;

-- jobs/calendars.py NEWEST
SELECT c.name, c.version, c.document, c.created_at, c.created_by, c.reason FROM (SELECT json_extract(value, '$[0]') AS label FROM json_each(:d)) AS d JOIN calendars c ON c.name = d.label AND c.latest = 1;

-- jobs/calendars.py PINNED
SELECT c.name, c.version, c.document, c.created_at, c.created_by, c.reason FROM (SELECT json_extract(value, '$[0]') AS label, json_extract(value, '$[1]') AS version FROM json_each(:d)) AS d JOIN calendars c ON c.name = d.label AND c.version = d.version;

-- jobs/calendars.py ALL
SELECT c.name, c.version, c.document, c.created_at, c.created_by, c.reason FROM calendars c WHERE c.latest = 1 ORDER BY c.name LIMIT 5000;

-- jobs/calendars.py LAST
SELECT max(version) FROM calendars WHERE name = :name;

-- jobs/calendars.py INSERT
INSERT INTO calendars (name, version, document, created_at, created_by, reason, latest) VALUES (:name, :version, :document, foliot_now(), :by, :reason, 1) ON CONFLICT DO NOTHING;

-- jobs/calendars.py AGE
UPDATE calendars SET latest = 0 WHERE name = :name AND latest = 1 AND version <> :version;

-- jobs/calendars.py USERS
SELECT j.namespace, j.name, u.version FROM calendar_uses u JOIN jobs j ON j.id = u.job_id AND j.deleted_at = 0 WHERE u.name = :name ORDER BY j.namespace, j.name LIMIT :rows;

-- jobs/calendars.py OUTDATED
SELECT j.id, j.namespace, j.name, j.version, j.source, v.definition, u.name AS calendar, u.version AS pinned
FROM calendars c JOIN calendar_uses u ON u.name = c.name AND u.version < c.version
JOIN jobs j ON j.id = u.job_id AND j.deleted_at = 0
JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
WHERE c.latest = 1 AND (u.name > :calendar OR (u.name = :calendar AND (u.version > :pinned
      OR (u.version = :pinned AND u.job_id > :job_id)))) AND (EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = :term) OR :term IS NULL)
ORDER BY u.name, u.version, u.job_id LIMIT :rows;

-- jobs/calendars.py FORGET_USES
DELETE FROM calendar_uses WHERE job_id = :job_id;

-- jobs/calendars.py KEEP_USES
INSERT INTO calendar_uses (job_id, name, version) SELECT :job_id, d.label, d.version FROM (SELECT json_extract(value, '$[0]') AS label, json_extract(value, '$[1]') AS version FROM json_each(:d)) AS d;

-- jobs/change.py LOCK
SELECT job_id, version, state, next_at, next_due_at, cursor_ver, remaining, skip_from, skip_reason,
       skip_why
FROM cursors WHERE job_id = :job_id;

-- jobs/declaration.py KNOWN
SELECT d.nth, j.id, j.version, v.hash, j.source, j.source_module
FROM (SELECT json_extract(value, '$[0]') AS nth, json_extract(value, '$[1]') AS namespace, json_extract(value, '$[2]') AS name FROM json_each(:d)) AS d JOIN jobs j ON j.namespace = d.namespace AND j.name = d.name AND j.deleted_at = 0
JOIN job_versions v ON v.job_id = j.id AND v.version = j.version;

-- jobs/declaration.py DECLARERS
SELECT DISTINCT d.nth, cj.module
FROM (SELECT json_extract(value, '$[0]') AS nth, json_extract(value, '$[1]') AS namespace, json_extract(value, '$[2]') AS name, json_extract(value, '$[3]') AS session FROM json_each(:d)) AS d JOIN code_jobs cj ON cj.namespace = d.namespace AND cj.name = d.name
JOIN nodes n ON n.code = cj.code
WHERE n.state IN ('live', 'draining') AND n.kind = 'worker' AND n.id <> d.session;

-- jobs/declaration.py INSERT_JOBS
INSERT INTO jobs (namespace, name, deleted_at, version, source, created_at, updated_at, from_end,
                      source_module, source_group)
SELECT d.namespace, d.name, 0, 1, 'code', foliot_now(), foliot_now(), d.from_end, d.module, d.group_name FROM (SELECT json_extract(value, '$[0]') AS namespace, json_extract(value, '$[1]') AS name, json_extract(value, '$[2]') AS from_end, json_extract(value, '$[3]') AS module, json_extract(value, '$[4]') AS group_name FROM json_each(:d)) AS d WHERE true
ON CONFLICT DO NOTHING;

-- jobs/declaration.py IDS
SELECT d.nth, j.id
FROM (SELECT json_extract(value, '$[0]') AS nth, json_extract(value, '$[1]') AS namespace, json_extract(value, '$[2]') AS name FROM json_each(:d)) AS d JOIN jobs j ON j.namespace = d.namespace AND j.name = d.name AND j.deleted_at = 0 AND j.version = 1;

-- jobs/declaration.py INSERT_VERSIONS
INSERT INTO job_versions (job_id, version, hash, definition, lane_id, merge_lane_id, created_at, created_by, reason)
SELECT d.job_id, 1, d.hash, d.definition, d.lane_id, d.merge_lane_id, :now, :by, :reason FROM (SELECT json_extract(value, '$[0]') AS job_id, json_extract(value, '$[1]') AS hash, json_extract(value, '$[2]') AS definition, json_extract(value, '$[3]') AS lane_id, json_extract(value, '$[4]') AS merge_lane_id FROM json_each(:d)) AS d;

-- jobs/declaration.py INSERT_CURSORS
INSERT INTO cursors (job_id, version, state, next_at, next_due_at, cursor_ver, remaining)
SELECT d.job_id, 1, d.state, d.next_at, d.next_due_at, 1, d.remaining FROM (SELECT json_extract(value, '$[0]') AS job_id, json_extract(value, '$[1]') AS state, json_extract(value, '$[2]') AS next_at, json_extract(value, '$[3]') AS next_due_at, json_extract(value, '$[4]') AS remaining FROM json_each(:d)) AS d;

-- jobs/declaration.py ADOPT
UPDATE jobs SET source = 'code', source_module = d.module, source_group = d.group_name FROM (SELECT json_extract(value, '$[0]') AS job_id, json_extract(value, '$[1]') AS version, json_extract(value, '$[2]') AS module, json_extract(value, '$[3]') AS group_name FROM json_each(:d)) AS d
WHERE jobs.id = d.job_id AND jobs.version = d.version AND jobs.deleted_at = 0;

-- jobs/definitions.py VERSIONS
SELECT v.job_id, v.version, j.namespace, j.name, v.definition, v.lane_id, v.merge_lane_id
FROM (SELECT json_extract(value, '$[0]') AS job_id, json_extract(value, '$[1]') AS version FROM json_each(:d)) AS d
JOIN job_versions v ON v.job_id = d.job_id AND v.version = d.version
JOIN jobs j ON j.id = v.job_id;

-- jobs/definitions.py LANES_BY_HASH
SELECT lanes.hash, lanes.id FROM (SELECT json_extract(value, '$[0]') AS hash FROM json_each(:d)) AS d JOIN lanes ON lanes.hash = d.hash;

-- jobs/definitions.py DRAW_LANES
UPDATE store_meta SET lane_seq = lane_seq + :n WHERE id = 1;

-- jobs/definitions.py LANES_DRAWN
SELECT lane_seq FROM store_meta WHERE id = 1;

-- jobs/definitions.py INSERT_LANES
INSERT INTO lanes (id, hash, document) SELECT d.id, d.hash, d.document FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS hash, json_extract(value, '$[2]') AS document FROM json_each(:d)) AS d;

-- jobs/definitions.py LANES_AFTER
SELECT id, document FROM lanes WHERE id > :after ORDER BY id;

-- jobs/held_time.py HELD
SELECT fire_key, from_at, to_at, version FROM skips WHERE job_id = :job_id AND held = 1 ORDER BY to_at DESC LIMIT :rows;

-- jobs/held_time.py TAKE_BACK
DELETE FROM skips WHERE job_id = :job_id AND held = 1 AND fire_key IN (SELECT d.fire_key FROM (SELECT json_extract(value, '$[0]') AS fire_key FROM json_each(:d)) AS d);

-- jobs/held_time.py SHORTEN
UPDATE skips SET fire_key = :key, from_at = :from_at, count = :count WHERE job_id = :job_id AND held = 1 AND fire_key = :was;

-- jobs/job_alerts.py FORGET
DELETE FROM job_alerts WHERE job_id IN (SELECT d.job_id FROM (SELECT json_extract(value, '$[0]') AS job_id FROM json_each(:d)) AS d);

-- jobs/job_alerts.py KEEP
INSERT INTO job_alerts (job_id, version, document, late_us, slower_us, saved_at)
SELECT d.job_id, d.version, d.document, d.late_us, d.slower_us, :now FROM (SELECT json_extract(value, '$[0]') AS job_id, json_extract(value, '$[1]') AS version, json_extract(value, '$[2]') AS document, json_extract(value, '$[3]') AS late_us, json_extract(value, '$[4]') AS slower_us FROM json_each(:d)) AS d;

-- jobs/job_alerts.py MISSED
SELECT l.last_id, m.id, m.version, m.definition
FROM (SELECT coalesce(max(id), 0) AS last_id FROM jobs) l LEFT JOIN (
  SELECT j.id, j.version, v.definition
  FROM jobs j JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
  LEFT JOIN job_alerts a ON a.job_id = j.id
  WHERE j.id > :after AND j.id <= :until AND j.deleted_at = 0 AND v.definition LIKE '%"alert":%'
        AND (a.job_id IS NULL OR a.version <> j.version)
) m ON m.id <= l.last_id;

-- jobs/line_order.py STEP_OUT
UPDATE runs SET place = NULL, parked = 1, ver = ver + 1
WHERE job_id = :job_id AND state IN ('PENDING', 'RUNNING') AND shard = -1 AND place IS NOT NULL
      AND state = 'PENDING' AND attempt = 0 AND parent_id IS NULL AND fire_key >= 'm:' AND fire_key < 'm;'
      AND not_before > foliot_now();

-- jobs/line_order.py NOT_BEGUN
SELECT r.id, r.ver, r.place, r.open_children FROM runs r
WHERE r.job_id = :job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place IS NOT NULL
      AND r.attempt = 0 AND r.parent_id IS NULL AND r.lease_id IS NULL
ORDER BY r.id;

-- jobs/line_order.py PARTS
SELECT r.id, r.ver, r.parent_id, r.attempt, r.state FROM runs r WHERE r.parent_id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d)
ORDER BY r.id;

-- jobs/line_order.py LINE_UP
UPDATE runs SET place = d.place, serial = :serial, parked = d.parked, follow = runs.follow | d.follow,
       ver = runs.ver + 1
FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS ver, json_extract(value, '$[2]') AS place, json_extract(value, '$[3]') AS parked, json_extract(value, '$[4]') AS follow FROM json_each(:d)) AS d WHERE runs.id = d.id AND runs.ver = d.ver;

-- jobs/removal.py FOR_LATER
SELECT r.id, r.ver, r.id FROM runs r
WHERE r.job_id = :job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1
      AND r.place IS NULL AND r.id > :after AND r.state = 'PENDING'
ORDER BY r.id LIMIT :limit;

-- jobs/removal.py IN_LINE
SELECT r.id, r.ver, r.place FROM runs r
WHERE r.job_id = :job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1
      AND r.place > :after AND r.state = 'PENDING' AND r.parent_id IS NULL
ORDER BY r.place, r.id LIMIT :limit;

-- jobs/removal.py SHARDS
SELECT r.id, r.ver, r.id FROM runs r
WHERE r.parent_id IN (
        SELECT p.id FROM runs p
        WHERE p.job_id = :job_id AND p.state IN ('PENDING', 'RUNNING') AND p.shard = -1 AND p.open_children > 0
              AND NOT EXISTS (SELECT 1 FROM runs c WHERE c.parent_id = p.id AND c.attempt > 0))
      AND r.shard >= 0 AND r.id > :after AND r.state = 'PENDING'
ORDER BY r.id LIMIT :limit;

-- jobs/removal.py CLEARED
UPDATE jobs SET moving = NULL WHERE id = :job_id AND deleted_at > 0;

-- jobs/reschedule.py STANDING
   SELECT c.job_id, c.version, c.state, c.next_at, c.next_due_at, c.remaining, j.namespace, j.name
   FROM cursors c JOIN jobs j ON j.id = c.job_id AND j.deleted_at = 0
WHERE c.job_id > :after AND j.namespace = :namespace ORDER BY c.job_id LIMIT :limit;

-- jobs/reschedule.py FARTHEST
   SELECT c.job_id, c.version, c.state, c.next_at, c.next_due_at, c.remaining, j.namespace, j.name
   FROM cursors c JOIN jobs j ON j.id = c.job_id AND j.deleted_at = 0
WHERE c.next_at > foliot_now() AND c.state = 'active' ORDER BY c.next_at DESC, c.job_id DESC LIMIT :limit;

-- jobs/reschedule.py SKIPPED_EARLY
SELECT coalesce(sum(count), 0) FROM skips WHERE job_id = :job_id AND to_at >= :first AND from_at >= :first;

-- jobs/reschedule.py TAKE_BACK
DELETE FROM skips WHERE job_id = :job_id AND to_at >= :first AND from_at >= :first;

-- jobs/reschedule.py SPANNING
SELECT id, from_at, count AS instants, version FROM skips WHERE job_id = :job_id AND to_at >= :first AND from_at < :first ORDER BY to_at LIMIT :rows;

-- jobs/reschedule.py SHORTEN
UPDATE skips SET to_at = :to_at, count = :count WHERE id = :id AND to_at > :to_at;

-- jobs/reschedule.py MADE_EARLY
SELECT count(*) FROM runs
WHERE job_id = :job_id AND fire_key >= :low AND fire_key < :high AND shard = -1 AND due_at > :now
      AND triggered_by IS NULL;

-- jobs/reschedule.py RUNS_EARLY
SELECT r.id, r.ver FROM runs r
WHERE r.job_id = :job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place IS NOT NULL
      AND r.state = 'PENDING' AND r.parent_id IS NULL AND r.attempt = 0
      AND r.due_at >= :first AND r.not_before > :now AND r.fire_key >= :low AND r.fire_key < :high
ORDER BY r.place, r.id LIMIT :limit;

-- jobs/reschedule.py PARENTS_EARLY
SELECT p.id, p.open_children FROM runs p
WHERE p.job_id = :job_id AND p.state IN ('PENDING', 'RUNNING') AND p.shard = -1 AND p.open_children > 0
      AND p.due_at >= :first AND p.not_before > :now AND p.fire_key >= :low AND p.fire_key < :high
      AND NOT EXISTS (SELECT 1 FROM runs c WHERE c.parent_id = p.id AND c.attempt > 0)
ORDER BY p.place, p.id LIMIT :limit;

-- jobs/reschedule.py PARTS
SELECT r.id, r.ver, r.parent_id, r.state FROM runs r WHERE r.parent_id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d) ORDER BY r.id;

-- jobs/reschedule.py FREE_INSTANT
UPDATE runs SET fire_key = d.fire_key, ver = runs.ver + 1 FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS fire_key FROM json_each(:d)) AS d
WHERE runs.id = d.id AND runs.state NOT IN ('PENDING', 'RUNNING');

-- jobs/reschedule.py RETRIES_EARLY
SELECT r.id FROM runs r
WHERE r.job_id = :job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place IS NOT NULL
      AND r.state = 'PENDING' AND r.attempt > 0 AND r.not_before > :soon
ORDER BY r.place, r.id LIMIT :limit;

-- jobs/reschedule.py RETRY_NOW
UPDATE runs SET not_before = :now, ver = ver + 1 WHERE id = :id AND state = 'PENDING' AND not_before > :soon;

-- jobs/retirement.py WITH_JOBS
SELECT d.module FROM (SELECT json_extract(value, '$[0]') AS module FROM json_each(:d)) AS d WHERE EXISTS (SELECT 1 FROM jobs j WHERE j.source_module = d.module);

-- jobs/retirement.py OF_SOURCE
SELECT j.id FROM jobs j WHERE j.source_module = :module AND j.id > :after ORDER BY j.source_module, j.id LIMIT :rows;

-- jobs/retirement.py UNDECLARED
SELECT j.id FROM jobs j
WHERE j.id IN (SELECT d.job_id FROM (SELECT json_extract(value, '$[0]') AS job_id FROM json_each(:d)) AS d) AND j.deleted_at = 0 AND j.source = 'code' AND j.undeclared_at IS NULL
  AND (:namespace = '' OR j.namespace = :namespace) AND (:group_name = '' OR j.source_group = :group_name)
  AND NOT
EXISTS (SELECT 1 FROM code_jobs cj JOIN codes c ON c.hash = cj.code JOIN nodes n ON n.code = cj.code
        WHERE cj.namespace = j.namespace AND cj.name = j.name AND (c.group_name IS NULL OR c.group_name = j.source_group) AND n.state IN ('live', 'draining') AND n.kind = 'worker') AND NOT
EXISTS (SELECT 1 FROM nodes n
        WHERE n.code IS NULL AND n.state IN ('live', 'draining') AND n.kind = 'worker' AND (n.namespace IS NULL OR n.namespace = j.namespace)) AND
EXISTS (SELECT 1 FROM code_modules m JOIN codes c ON c.hash = m.code JOIN nodes n ON n.code = c.hash
        WHERE m.module = j.source_module AND n.state IN ('live', 'draining') AND n.kind = 'worker'
          AND (c.namespace IS NULL OR c.namespace = j.namespace) AND (c.group_name IS NULL OR c.group_name = j.source_group))
ORDER BY j.id;

-- jobs/retirement.py MARK
UPDATE jobs SET undeclared_at = foliot_now() FROM (SELECT json_extract(value, '$[0]') AS job_id FROM json_each(:d)) AS d WHERE jobs.id = d.job_id AND jobs.undeclared_at IS NULL;

-- jobs/retirement.py MARKED
SELECT j.id FROM jobs j
WHERE j.source_module = :module AND j.id > :after AND j.undeclared_at > 0 AND j.retirement IS NULL
ORDER BY j.source_module, j.id LIMIT :rows;

-- jobs/retirement.py ORPHANED
SELECT j.id, j.namespace, j.name, j.source_module, j.undeclared_at, j.created_at FROM jobs j
WHERE j.id IN (SELECT d.job_id FROM (SELECT json_extract(value, '$[0]') AS job_id FROM json_each(:d)) AS d) AND j.deleted_at = 0 AND j.source = 'code'
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
WHERE j.source_module = :module AND j.namespace = :namespace AND j.deleted_at = 0 AND j.undeclared_at IS NULL
  AND j.created_at > :after ORDER BY j.id DESC LIMIT :rows;

-- jobs/retirement.py RETIRE
UPDATE jobs SET retirement = d.retirement, pause_reason = coalesce(d.reason, jobs.pause_reason),
       paused_at = coalesce(d.paused_at, jobs.paused_at), renamed_to = d.renamed_to
FROM (SELECT json_extract(value, '$[0]') AS job_id, json_extract(value, '$[1]') AS retirement, json_extract(value, '$[2]') AS reason, json_extract(value, '$[3]') AS paused_at, json_extract(value, '$[4]') AS renamed_to FROM json_each(:d)) AS d WHERE jobs.id = d.job_id AND jobs.undeclared_at > 0 AND jobs.retirement IS NULL;

-- jobs/retirement.py MARKED_OF_CODE
SELECT j.id, j.retirement FROM jobs j
JOIN code_jobs cj ON cj.namespace = j.namespace AND cj.name = j.name AND cj.code = :code
JOIN codes c ON c.hash = cj.code
WHERE j.undeclared_at > 0 AND j.deleted_at = 0 AND (c.group_name IS NULL OR c.group_name = j.source_group) ORDER BY j.undeclared_at, j.id LIMIT :rows;

-- jobs/retirement.py MARKED_OF_LIVE
SELECT j.id, j.retirement FROM jobs j
WHERE j.undeclared_at > 0 AND j.deleted_at = 0 AND
EXISTS (SELECT 1 FROM code_jobs cj JOIN codes c ON c.hash = cj.code JOIN nodes n ON n.code = cj.code
        WHERE cj.namespace = j.namespace AND cj.name = j.name AND (c.group_name IS NULL OR c.group_name = j.source_group) AND n.state IN ('live', 'draining') AND n.kind = 'worker') ORDER BY j.undeclared_at, j.id LIMIT :rows;

-- jobs/retirement.py UNMARK
UPDATE jobs SET undeclared_at = NULL, retirement = NULL
FROM (SELECT json_extract(value, '$[0]') AS job_id FROM json_each(:d)) AS d WHERE jobs.id = d.job_id AND coalesce(jobs.retirement, 0) <> 1;

-- jobs/retirement.py RETIRED_NOW
SELECT j.id, j.namespace, j.name, j.source_module, j.undeclared_at FROM jobs j
WHERE j.id IN (SELECT d.job_id FROM (SELECT json_extract(value, '$[0]') AS job_id FROM json_each(:d)) AS d) AND j.deleted_at = 0 AND j.retirement = 1;

-- jobs/retirement.py REVIVE
UPDATE jobs SET undeclared_at = NULL, retirement = NULL, renamed_to = NULL, pause_reason = NULL, paused_by = NULL,
       paused_at = NULL
FROM (SELECT json_extract(value, '$[0]') AS job_id FROM json_each(:d)) AS d WHERE jobs.id = d.job_id;

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
ORDER BY c.hash LIMIT :rows;

-- jobs/strays.py ASK
UPDATE codes SET ver = codes.ver + 1, whole = 2 FROM (SELECT json_extract(value, '$[0]') AS hash FROM json_each(:d)) AS d WHERE codes.hash = d.hash AND codes.whole = 1;

-- jobs/suggestions.py NAMES_NEAR
SELECT name FROM (SELECT name FROM jobs WHERE namespace = :namespace AND deleted_at = 0 AND name >= :name
                  ORDER BY namespace, name LIMIT :limit) after_it
UNION ALL
SELECT name FROM (SELECT name FROM jobs WHERE namespace = :namespace AND deleted_at = 0 AND name < :name
                  ORDER BY namespace DESC, name DESC LIMIT :limit) before_it;

-- jobs/trial.py INSERT_JOB
INSERT INTO jobs (namespace, name, deleted_at, version, source, created_at, updated_at, from_end)
SELECT :namespace, :name, :deleted_at, 1, :source, :now, :now, 0 WHERE true
ON CONFLICT DO NOTHING;

-- jobs/trial.py LAST_DELETED
SELECT coalesce(max(deleted_at), 0) FROM jobs WHERE namespace = :namespace AND name = :name;

-- jobs/trial.py JOB_ID
SELECT id FROM jobs WHERE namespace = :namespace AND name = :name AND deleted_at = :deleted_at;

-- jobs/trial.py RUN_ID
SELECT id FROM runs WHERE job_id = :job_id AND fire_key = :fire_key AND shard = -1;

-- jobs/version_move.py FOR_LATER.look
   SELECT
   r.id, r.ver, r.version, r.place, r.fire_key, r.triggered_by, r.priority, r.serial, r.parked, r.follow,
   r.lane, r.not_before, r.open_children, CASE WHEN (r.follow & 4) > 0 AND EXISTS (
     SELECT 1 FROM runs s WHERE s.parent_id = r.parent_id AND s.attempt > 0) THEN 1 ELSE 0 END
FROM runs r
   WHERE r.job_id = :job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1
         AND r.place IS NULL AND r.id > :after AND r.state = 'PENDING' AND r.attempt = 0 AND r.version < :version
   ORDER BY r.id LIMIT :limit;

-- jobs/version_move.py FOR_LATER.take
   SELECT
   r.id, r.ver, r.version, r.place, r.fire_key, r.triggered_by, r.priority, r.serial, r.parked, r.follow,
   r.lane, r.not_before, r.open_children, CASE WHEN (r.follow & 4) > 0 AND EXISTS (
     SELECT 1 FROM runs s WHERE s.parent_id = r.parent_id AND s.attempt > 0) THEN 1 ELSE 0 END
FROM runs r
   WHERE r.job_id = :job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1
         AND r.place IS NULL AND r.id > :after AND r.state = 'PENDING' AND r.attempt = 0 AND r.version < :version
   ORDER BY r.id LIMIT :limit;

-- jobs/version_move.py IN_LINE.look
   SELECT
   r.id, r.ver, r.version, r.place, r.fire_key, r.triggered_by, r.priority, r.serial, r.parked, r.follow,
   r.lane, r.not_before, r.open_children, CASE WHEN (r.follow & 4) > 0 AND EXISTS (
     SELECT 1 FROM runs s WHERE s.parent_id = r.parent_id AND s.attempt > 0) THEN 1 ELSE 0 END
FROM runs r
   WHERE r.job_id = :job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1
         AND r.place > :after AND r.state = 'PENDING' AND r.attempt = 0 AND r.version < :version
   ORDER BY r.place, r.id LIMIT :limit;

-- jobs/version_move.py IN_LINE.take
   SELECT
   r.id, r.ver, r.version, r.place, r.fire_key, r.triggered_by, r.priority, r.serial, r.parked, r.follow,
   r.lane, r.not_before, r.open_children, CASE WHEN (r.follow & 4) > 0 AND EXISTS (
     SELECT 1 FROM runs s WHERE s.parent_id = r.parent_id AND s.attempt > 0) THEN 1 ELSE 0 END
FROM runs r
   WHERE r.job_id = :job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1
         AND r.place > :after AND r.state = 'PENDING' AND r.attempt = 0 AND r.version < :version
   ORDER BY r.place, r.id LIMIT :limit;

-- jobs/version_move.py PARENTS.look
   SELECT
   r.id, r.ver, r.version, r.place, r.fire_key, r.triggered_by, r.priority, r.serial, r.parked, r.follow,
   r.lane, r.not_before, r.open_children, CASE WHEN (r.follow & 4) > 0 AND EXISTS (
     SELECT 1 FROM runs s WHERE s.parent_id = r.parent_id AND s.attempt > 0) THEN 1 ELSE 0 END
FROM runs r
   WHERE r.job_id = :job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place > :after
         AND r.state = 'RUNNING' AND r.parent_id IS NULL AND r.open_children > 0 AND r.attempt = 0
         AND r.version < :version AND NOT EXISTS (SELECT 1 FROM runs b WHERE b.parent_id = r.id AND b.attempt > 0)
   ORDER BY r.place, r.id LIMIT :limit;

-- jobs/version_move.py PARENTS.take
   SELECT
   r.id, r.ver, r.version, r.place, r.fire_key, r.triggered_by, r.priority, r.serial, r.parked, r.follow,
   r.lane, r.not_before, r.open_children, CASE WHEN (r.follow & 4) > 0 AND EXISTS (
     SELECT 1 FROM runs s WHERE s.parent_id = r.parent_id AND s.attempt > 0) THEN 1 ELSE 0 END
FROM runs r
   WHERE r.job_id = :job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place > :after
         AND r.state = 'RUNNING' AND r.parent_id IS NULL AND r.open_children > 0 AND r.attempt = 0
         AND r.version < :version AND NOT EXISTS (SELECT 1 FROM runs b WHERE b.parent_id = r.id AND b.attempt > 0)
   ORDER BY r.place, r.id LIMIT :limit;

-- jobs/version_move.py PARTS
    SELECT
    r.id, r.ver, r.version, r.place, r.fire_key, r.triggered_by, r.priority, r.serial, r.parked, r.follow,
    r.lane, r.not_before, r.open_children, CASE WHEN (r.follow & 4) > 0 AND EXISTS (
      SELECT 1 FROM runs s WHERE s.parent_id = r.parent_id AND s.attempt > 0) THEN 1 ELSE 0 END
, r.parent_id, r.attempt, r.state FROM runs r WHERE r.parent_id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d)
    ORDER BY r.id;

-- jobs/version_move.py SHARDS.look
   SELECT
   r.id, r.ver, r.version, r.place, r.fire_key, r.triggered_by, r.priority, r.serial, r.parked, r.follow,
   r.lane, r.not_before, r.open_children, CASE WHEN (r.follow & 4) > 0 AND EXISTS (
     SELECT 1 FROM runs s WHERE s.parent_id = r.parent_id AND s.attempt > 0) THEN 1 ELSE 0 END
FROM runs r
   WHERE r.parent_id IN (SELECT p.id FROM runs p WHERE p.job_id = :job_id AND p.state IN ('PENDING', 'RUNNING')
                               AND p.shard = -1 AND (p.version = :version OR EXISTS (SELECT 1 FROM runs b WHERE b.parent_id = p.id AND b.attempt > 0)))
         AND r.shard >= 0 AND r.id > :after AND r.state = 'PENDING' AND r.attempt = 0 AND r.version < :version
   ORDER BY r.id LIMIT :limit;

-- jobs/version_move.py SHARDS.take
   SELECT
   r.id, r.ver, r.version, r.place, r.fire_key, r.triggered_by, r.priority, r.serial, r.parked, r.follow,
   r.lane, r.not_before, r.open_children, CASE WHEN (r.follow & 4) > 0 AND EXISTS (
     SELECT 1 FROM runs s WHERE s.parent_id = r.parent_id AND s.attempt > 0) THEN 1 ELSE 0 END
FROM runs r
   WHERE r.parent_id IN (SELECT p.id FROM runs p WHERE p.job_id = :job_id AND p.state IN ('PENDING', 'RUNNING')
                               AND p.shard = -1 AND (p.version = :version OR EXISTS (SELECT 1 FROM runs b WHERE b.parent_id = p.id AND b.attempt > 0)))
         AND r.shard >= 0 AND r.id > :after AND r.state = 'PENDING' AND r.attempt = 0 AND r.version < :version
   ORDER BY r.id LIMIT :limit;

-- jobs/version_move.py TAKE_VERSION
UPDATE runs SET version = :version, lane = d.lane, priority = d.priority, serial = d.serial, parked = d.parked,
       follow = d.follow, not_before = d.not_before, ver = runs.ver + 1, assigned_to = NULL, assigned_before = NULL
FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS ver, json_extract(value, '$[2]') AS lane, json_extract(value, '$[3]') AS priority, json_extract(value, '$[4]') AS serial, json_extract(value, '$[5]') AS parked, json_extract(value, '$[6]') AS follow, json_extract(value, '$[7]') AS not_before FROM json_each(:d)) AS d
WHERE runs.id = d.id AND runs.ver = d.ver AND runs.attempt = 0;

-- jobs/version_move.py CURRENT
SELECT moving FROM jobs WHERE id = :job_id AND moving IS NOT NULL AND deleted_at = 0;

-- jobs/version_move.py MOVED
UPDATE jobs SET moving = NULL WHERE id = :job_id AND moving = :version AND deleted_at = 0;

-- jobs/version_move.py UNFINISHED
SELECT moving, id, deleted_at FROM jobs WHERE moving >= :moving AND (moving > :moving OR id > :after)
  AND (EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = :term) OR :term IS NULL)
ORDER BY moving, id LIMIT :limit;

-- jobs/written.py INSERT_VERSION
INSERT INTO job_versions (job_id, version, hash, definition, lane_id, merge_lane_id, created_at, created_by, reason)
VALUES (:job_id, :version, :hash, :definition, :lane_id, :merge_lane_id, :now, :by, :reason);

-- jobs/written.py INSERT_CURSOR
INSERT INTO cursors (job_id, version, state, next_at, next_due_at, cursor_ver, remaining)
VALUES (:job_id, 1, :state, :next_at, :next_due_at, 1, :remaining);

-- kernel/database.py _NOW
SELECT foliot_now();

-- kernel/epoch.py FINGERPRINT
SELECT foliot_fingerprint(), '';

-- kernel/epoch.py REMEMBERED
SELECT epoch, fingerprint, foliot_now() FROM store_meta WHERE id = 1;

-- kernel/epoch.py RAISE
UPDATE store_meta SET epoch = :epoch, fingerprint = :fingerprint
WHERE id = 1 AND epoch = :seen AND fingerprint = :known;

-- kernel/replica.py FRESH
SELECT m.epoch, m.last_tick_at, foliot_now() AS now,
       (SELECT max(n.last_beat_at) FROM nodes n WHERE n.state = 'live' AND n.kind = 'server') AS beat_at
FROM store_meta m WHERE m.id = 1;

-- kernel/schema.py _LOCK
SELECT 1;

-- kernel/schema.py _NAMES
SELECT name FROM sqlite_master;

-- kernel/schema.py _READABLE_FROM
SELECT readable_from FROM store_meta WHERE id = 1;

-- leasing/assigned.py QUEUES
WITH RECURSIVE walk (session, lane) AS (
  SELECT s.id, (SELECT min(r.lane) FROM runs r WHERE r.state = 'PENDING' AND r.parked = 2 AND r.assigned_to = s.id) FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:s)) AS s
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
      SELECT 1 FROM runs l WHERE l.job_id = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
 THEN 1 ELSE 0 END AS replaced FROM runs r
    WHERE r.assigned_to = :session AND r.lane = :lane AND r.assigned_rank >= :low AND r.assigned_rank < :high
          AND r.state = 'PENDING' AND r.parked = 2 AND r.not_before <= :now
    AND (r.serial = 0 OR (r.place IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM runs e
      WHERE e.job_id = r.job_id AND e.state IN ('PENDING', 'RUNNING') AND e.shard = -1
            AND (e.place, e.id) < (r.place, coalesce(r.parent_id, r.id)))))
    ORDER BY r.assigned_rank, r.id LIMIT :n;

-- leasing/assigned.py TAKE.each
    SELECT
    r.id, r.job_id, r.version, r.ver, r.attempt, r.deaths, r.lane, r.class, r.priority, r.not_before, r.shard, r.follow,
    r.due_at, r.assigned_to, r.assigned_until, r.params, r.checkpoint, r.reason
, CASE WHEN
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.job_id = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
 THEN 1 ELSE 0 END AS replaced FROM runs r
    WHERE r.assigned_to = :session AND r.lane = :lane AND r.assigned_rank >= :low AND r.assigned_rank < :high
          AND r.state = 'PENDING' AND r.parked = 2 AND r.not_before <= :now
    AND (r.serial = 0 OR (r.place IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM runs e
      WHERE e.job_id = r.job_id AND e.state IN ('PENDING', 'RUNNING') AND e.shard = -1
            AND (e.place, e.id) < (r.place, coalesce(r.parent_id, r.id)))))
    ORDER BY r.assigned_rank, r.id LIMIT :n;

-- leasing/assigned.py LOOK_DOUBTING.each
    SELECT
    r.id, r.job_id, r.version, r.ver, r.attempt, r.deaths, r.lane, r.class, r.priority, r.not_before, r.shard, r.follow,
    r.due_at, r.assigned_to, r.assigned_until, r.params, r.checkpoint, r.reason
, CASE WHEN
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.job_id = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
 THEN 1 ELSE 0 END AS replaced FROM runs r
    WHERE r.assigned_to = :session AND r.lane = :lane AND r.assigned_rank >= :low AND r.assigned_rank < :high
          AND r.state = 'PENDING' AND r.parked = 2 AND r.not_before <= :now
    AND (r.serial = 0 OR (r.place IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM runs e
      WHERE e.job_id = r.job_id AND e.state IN ('PENDING', 'RUNNING') AND e.shard = -1
            AND (e.place, e.id) < (r.place, coalesce(r.parent_id, r.id)))))
    AND (r.not_before <= :believed OR r.created_at > :good OR (r.ver > 1 AND r.not_before >= :landed))
    ORDER BY r.assigned_rank, r.id LIMIT :n;

-- leasing/assigned.py TAKE_DOUBTING.each
    SELECT
    r.id, r.job_id, r.version, r.ver, r.attempt, r.deaths, r.lane, r.class, r.priority, r.not_before, r.shard, r.follow,
    r.due_at, r.assigned_to, r.assigned_until, r.params, r.checkpoint, r.reason
, CASE WHEN
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.job_id = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
 THEN 1 ELSE 0 END AS replaced FROM runs r
    WHERE r.assigned_to = :session AND r.lane = :lane AND r.assigned_rank >= :low AND r.assigned_rank < :high
          AND r.state = 'PENDING' AND r.parked = 2 AND r.not_before <= :now
    AND (r.serial = 0 OR (r.place IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM runs e
      WHERE e.job_id = r.job_id AND e.state IN ('PENDING', 'RUNNING') AND e.shard = -1
            AND (e.place, e.id) < (r.place, coalesce(r.parent_id, r.id)))))
    AND (r.not_before <= :believed OR r.created_at > :good OR (r.ver > 1 AND r.not_before >= :landed))
    ORDER BY r.assigned_rank, r.id LIMIT :n;

-- leasing/assignment.py STATES
SELECT c.job_id, c.cursor_ver, c.route_state FROM cursors c WHERE c.job_id IN (SELECT d.job_id FROM (SELECT json_extract(value, '$[0]') AS job_id FROM json_each(:d)) AS d)
ORDER BY c.job_id;

-- leasing/assignment.py AS_SEEN
SELECT r.id, r.ver FROM runs r WHERE r.id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d) AND r.state = 'PENDING' AND r.parked = 0
ORDER BY r.id;

-- leasing/assignment.py KEEP
UPDATE cursors SET route_state = d.state, cursor_ver = cursors.cursor_ver + 1
FROM (SELECT json_extract(value, '$[0]') AS job_id, json_extract(value, '$[1]') AS seen, json_extract(value, '$[2]') AS state FROM json_each(:d)) AS d WHERE cursors.job_id = d.job_id AND cursors.cursor_ver = d.seen;

-- leasing/assignment.py ASSIGN
UPDATE runs SET parked = 2, assigned_to = d.session, assigned_until = d.until, assigned_rank = d.rank_,
       ver = runs.ver + 1
FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS ver, json_extract(value, '$[2]') AS session, json_extract(value, '$[3]') AS until, json_extract(value, '$[4]') AS rank_ FROM json_each(:d)) AS d WHERE runs.id = d.id AND runs.ver = d.ver;

-- leasing/assignment.py MOMENT
SELECT m.maintenance_at, m.maintenance_until, m.reap_after, m.scopes_ver, foliot_now() AS now FROM store_meta m
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
   LEFT JOIN nodes n ON n.id = walk.session AND n.state = 'live' AND (n.until >= foliot_now() OR :amnesty = 1)
   WHERE walk.session IS NOT NULL AND walk.session <> '*' AND n.id IS NULL;

-- leasing/assignment.py OF_LOST
SELECT r.id, r.ver, r.assigned_to, r.assigned_before, r.assigned_until, r.lane FROM runs r WHERE r.assigned_to IN (SELECT d.session FROM (SELECT json_extract(value, '$[0]') AS session FROM json_each(:d)) AS d) AND r.state = 'PENDING' AND r.parked = 2
       AND r.assigned_until IS NOT NULL
ORDER BY r.id LIMIT :limit;

-- leasing/assignment.py OVERDUE
SELECT r.id, r.ver, r.assigned_to, r.assigned_before, r.assigned_until, r.lane FROM runs r WHERE r.state = 'PENDING' AND r.parked = 2 AND r.assigned_until <= foliot_now()
ORDER BY r.assigned_until, r.id LIMIT :limit;

-- leasing/assignment.py TAKE_BACK
UPDATE runs SET parked = 0, assigned_to = NULL, assigned_until = NULL, assigned_before = d.before_,
       ver = runs.ver + 1
FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS ver, json_extract(value, '$[2]') AS before_ FROM json_each(:d)) AS d WHERE runs.id = d.id AND runs.ver = d.ver;

-- leasing/broadcast.py CUT
UPDATE runs SET state = 'RUNNING', open_children = d.shards, follow = runs.follow - (runs.follow & 2),
       ver = runs.ver + 1
FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS ver, json_extract(value, '$[2]') AS shards FROM json_each(:d)) AS d WHERE runs.id = d.id AND runs.ver = d.ver;

-- leasing/broadcast.py INSERT_SHARDS
INSERT INTO runs (job_id, version, fire_key, shard, parent_id, due_at, not_before, lane, class, priority,
                      serial, place, parked, assigned_to, session_id, assigned_rank, follow, state, ver, created_at,
                      triggered_by, reason, params)
SELECT p.job_id, p.version, p.fire_key, d.shard, p.id, p.due_at, p.not_before, p.lane, p.class, p.priority,
       p.serial, p.place, 2, d.session, d.session, p.not_before - p.priority * 60000000 + CASE WHEN p.class = 0 THEN 0 ELSE 1152921504606846976 END,
       d.follow | (p.follow & 224), 'PENDING', 1, :now, p.triggered_by, p.reason, p.params
FROM (SELECT json_extract(value, '$[0]') AS parent, json_extract(value, '$[1]') AS shard, json_extract(value, '$[2]') AS session, json_extract(value, '$[3]') AS follow FROM json_each(:d)) AS d JOIN runs p ON p.id = d.parent WHERE true
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
   LEFT JOIN nodes n ON n.id = walk.session AND n.state = 'live' AND n.until >= foliot_now()
   WHERE walk.session IS NOT NULL AND walk.session <> '*'
         AND (n.id IS NULL
              OR n.offers_at < foliot_now() - :session_ttl - :grace AND
   (SELECT CASE WHEN foliot_now() >= m.reap_after AND 2 * (foliot_now() - m.last_tick_at) <= :session_ttl
                THEN 1 ELSE 0 END FROM store_meta m WHERE m.id = 1) = 1
                 AND EXISTS (SELECT 1 FROM runs r
                             WHERE r.assigned_to = walk.session AND r.state = 'PENDING' AND r.parked = 2 AND (r.follow & 256) <> 0));

-- leasing/broadcast.py OF_GONE
SELECT r.id, r.ver, r.assigned_to, n.name, n.state FROM runs r LEFT JOIN nodes n ON n.id = r.assigned_to
WHERE r.assigned_to IN (SELECT d.session FROM (SELECT json_extract(value, '$[0]') AS session FROM json_each(:d)) AS d) AND r.state = 'PENDING' AND r.parked = 2 AND (r.follow & 256) <> 0
      AND (n.id IS NULL OR n.state <> 'live') AND EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = :term)
LIMIT :limit;

-- leasing/broadcast.py LANES_OF
SELECT DISTINCT r.assigned_to, r.lane FROM runs r
WHERE r.assigned_to IN (SELECT d.session FROM (SELECT json_extract(value, '$[0]') AS session FROM json_each(:d)) AS d) AND r.state = 'PENDING' AND r.parked = 2 AND (r.follow & 256) <> 0;

-- leasing/broadcast.py OF_LANES
SELECT r.id, r.ver, r.assigned_to, r.lane FROM (SELECT json_extract(value, '$[0]') AS session, json_extract(value, '$[1]') AS lane FROM json_each(:d)) AS d JOIN runs r ON r.assigned_to = d.session AND r.lane = d.lane
WHERE r.state = 'PENDING' AND r.parked = 2 AND (r.follow & 256) <> 0 AND EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = :term)
LIMIT :limit;

-- leasing/broadcast.py COUNTS
SELECT r.id, (SELECT s.shard + 1 FROM runs s WHERE s.job_id = r.job_id AND s.fire_key = r.fire_key
              ORDER BY s.shard DESC LIMIT 1)
FROM runs r WHERE r.id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d);

-- leasing/candidates.py LOOK_AT_KIND
    SELECT
    r.id, r.job_id, r.version, r.ver, r.attempt, r.deaths, r.lane, r.class, r.priority, r.not_before, r.shard, r.follow,
    r.due_at, r.assigned_to, r.assigned_until, r.params, r.checkpoint, r.reason
, CASE WHEN
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.job_id = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
 THEN 1 ELSE 0 END AS replaced FROM runs r
    WHERE r.lane = :lane AND r.class = :class AND r.priority = :priority AND r.not_before >= :low
          AND r.state = 'PENDING' AND r.parked = 0 AND r.not_before <= :now
    AND (r.serial = 0 OR (r.place IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM runs e
      WHERE e.job_id = r.job_id AND e.state IN ('PENDING', 'RUNNING') AND e.shard = -1
            AND (e.place, e.id) < (r.place, coalesce(r.parent_id, r.id)))))
    ORDER BY r.not_before, r.id LIMIT :n;

-- leasing/candidates.py TAKE_OF_KIND
    SELECT
    r.id, r.job_id, r.version, r.ver, r.attempt, r.deaths, r.lane, r.class, r.priority, r.not_before, r.shard, r.follow,
    r.due_at, r.assigned_to, r.assigned_until, r.params, r.checkpoint, r.reason
, CASE WHEN
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.job_id = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
 THEN 1 ELSE 0 END AS replaced FROM runs r
    WHERE r.lane = :lane AND r.class = :class AND r.priority = :priority AND r.not_before >= :low
          AND r.state = 'PENDING' AND r.parked = 0 AND r.not_before <= :now
    AND (r.serial = 0 OR (r.place IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM runs e
      WHERE e.job_id = r.job_id AND e.state IN ('PENDING', 'RUNNING') AND e.shard = -1
            AND (e.place, e.id) < (r.place, coalesce(r.parent_id, r.id)))))
    ORDER BY r.not_before, r.id LIMIT :n;

-- leasing/candidates.py LOOK_AT_KIND_DOUBTING
    SELECT
    r.id, r.job_id, r.version, r.ver, r.attempt, r.deaths, r.lane, r.class, r.priority, r.not_before, r.shard, r.follow,
    r.due_at, r.assigned_to, r.assigned_until, r.params, r.checkpoint, r.reason
, CASE WHEN
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.job_id = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
 THEN 1 ELSE 0 END AS replaced FROM runs r
    WHERE r.lane = :lane AND r.class = :class AND r.priority = :priority AND r.not_before >= :low
          AND r.state = 'PENDING' AND r.parked = 0 AND r.not_before <= :now
    AND (r.serial = 0 OR (r.place IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM runs e
      WHERE e.job_id = r.job_id AND e.state IN ('PENDING', 'RUNNING') AND e.shard = -1
            AND (e.place, e.id) < (r.place, coalesce(r.parent_id, r.id)))))
    AND (r.not_before <= :believed OR r.created_at > :good OR (r.ver > 1 AND r.not_before >= :landed))
    ORDER BY r.not_before, r.id LIMIT :n;

-- leasing/candidates.py TAKE_OF_KIND_DOUBTING
    SELECT
    r.id, r.job_id, r.version, r.ver, r.attempt, r.deaths, r.lane, r.class, r.priority, r.not_before, r.shard, r.follow,
    r.due_at, r.assigned_to, r.assigned_until, r.params, r.checkpoint, r.reason
, CASE WHEN
    r.serial = 2 AND (r.follow & 64) = 0 AND r.place IS NOT NULL AND EXISTS (
      SELECT 1 FROM runs l WHERE l.job_id = r.job_id AND l.state IN ('PENDING', 'RUNNING') AND l.shard = -1
                             AND l.place > r.place AND l.serial = 2 AND (l.follow & 64) = 0)
 THEN 1 ELSE 0 END AS replaced FROM runs r
    WHERE r.lane = :lane AND r.class = :class AND r.priority = :priority AND r.not_before >= :low
          AND r.state = 'PENDING' AND r.parked = 0 AND r.not_before <= :now
    AND (r.serial = 0 OR (r.place IS NOT NULL AND NOT EXISTS (
      SELECT 1 FROM runs e
      WHERE e.job_id = r.job_id AND e.state IN ('PENDING', 'RUNNING') AND e.shard = -1
            AND (e.place, e.id) < (r.place, coalesce(r.parent_id, r.id)))))
    AND (r.not_before <= :believed OR r.created_at > :good OR (r.ver > 1 AND r.not_before >= :landed))
    ORDER BY r.not_before, r.id LIMIT :n;

-- leasing/fire_routes.py KEPT
SELECT c.job_id, c.route_state FROM cursors c WHERE c.job_id IN (SELECT d.job_id FROM (SELECT json_extract(value, '$[0]') AS job_id FROM json_each(:d)) AS d);

-- leasing/fitting_workers.py WORKERS
SELECT n.id, n.name, n.slots, n.weight, n.group_name, n.namespace, n.labels, n.load, n.band, n.until,
       coalesce(n.offer_hash, n.id) AS text_of, m.reap_after, m.last_tick_at, m.scopes_ver, foliot_now() AS now
FROM nodes n JOIN store_meta m ON m.id = 1
WHERE n.state = 'live' AND n.kind <> 'server' AND m.maintenance_until <= foliot_now();

-- leasing/fitting_workers.py HANDLERS
SELECT n.id, n.handlers FROM nodes n WHERE n.id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d);

-- leasing/fitting_workers.py BUSY
   SELECT r.session_id, NULL, count(*) FROM runs r WHERE r.state = 'RUNNING' AND r.session_id > '' GROUP BY r.session_id
UNION ALL
   SELECT r.assigned_to, r.lane, count(*) FROM runs r WHERE r.state = 'PENDING' AND r.parked = 2 AND r.assigned_to > ''
   GROUP BY r.assigned_to, r.lane;

-- leasing/fitting_workers.py ASSIGNED_TO
SELECT r.assigned_to, count(*) FROM runs r WHERE r.state = 'PENDING' AND r.parked = 2 AND r.assigned_to > '' GROUP BY r.assigned_to;

-- leasing/fitting_workers.py OWN
SELECT r.job_id, r.session_id AS session, count(*) FROM runs r
WHERE r.state = 'RUNNING' AND r.session_id > '' AND r.job_id + 0 IN (SELECT d.job_id FROM (SELECT json_extract(value, '$[0]') AS job_id FROM json_each(:d)) AS d)
GROUP BY r.job_id, r.session_id
UNION ALL
SELECT r.job_id, r.assigned_to AS session, count(*) FROM runs r
WHERE r.state = 'PENDING' AND r.parked = 2 AND r.assigned_to > '*' AND r.job_id + 0 IN (SELECT d.job_id FROM (SELECT json_extract(value, '$[0]') AS job_id FROM json_each(:d)) AS d)
GROUP BY r.job_id, r.assigned_to;

-- leasing/key_limits.py USED
SELECT k.name, k.used FROM (SELECT json_extract(value, '$[0]') AS name FROM json_each(:d)) AS d JOIN limit_keys k ON k.name = d.name;

-- leasing/key_limits.py LOCK_KEYS
SELECT k.name, k.used, k.spent_until FROM limit_keys k WHERE k.name IN (SELECT d.name FROM (SELECT json_extract(value, '$[0]') AS name FROM json_each(:d)) AS d)
ORDER BY k.name;

-- leasing/key_limits.py MAKE_KEYS
INSERT INTO limit_keys (name, job_id, said, used, pace_us, burst, ver)
SELECT d.name, d.job_id, d.said, 0, d.pace_us, d.burst, 1 FROM (SELECT json_extract(value, '$[0]') AS name, json_extract(value, '$[1]') AS job_id, json_extract(value, '$[2]') AS said, json_extract(value, '$[3]') AS pace_us, json_extract(value, '$[4]') AS burst FROM json_each(:d)) AS d WHERE true ON CONFLICT DO NOTHING;

-- leasing/key_limits.py TAKE_KEYS
   UPDATE limit_keys SET used = limit_keys.used + d.n, ver = limit_keys.ver + 1,
          spent_until = CASE WHEN d.starts = 0 THEN limit_keys.spent_until ELSE
   CASE WHEN limit_keys.spent_until > :now
             AND limit_keys.spent_until <= :now + d.burst * d.pace_us + 10000000
        THEN limit_keys.spent_until ELSE :now END
+ d.starts * d.pace_us END,
          pace_us = d.pace_us, burst = d.burst
   FROM (SELECT json_extract(value, '$[0]') AS name, json_extract(value, '$[1]') AS n, json_extract(value, '$[2]') AS most, json_extract(value, '$[3]') AS starts, json_extract(value, '$[4]') AS pace_us, json_extract(value, '$[5]') AS burst FROM json_each(:d)) AS d
   WHERE limit_keys.name = d.name AND limit_keys.used + d.n <= d.most
         AND (d.starts = 0 OR
   CASE WHEN limit_keys.spent_until > :now
             AND limit_keys.spent_until <= :now + d.burst * d.pace_us + 10000000
        THEN limit_keys.spent_until ELSE :now END
+ d.starts * d.pace_us <= :now + d.burst * d.pace_us);

-- leasing/key_limits.py GIVE_KEYS
UPDATE limit_keys SET used = CASE WHEN limit_keys.used > d.n THEN limit_keys.used - d.n ELSE 0 END,
       ver = limit_keys.ver + 1
FROM (SELECT json_extract(value, '$[0]') AS name, json_extract(value, '$[1]') AS n FROM json_each(:d)) AS d WHERE limit_keys.name = d.name;

-- leasing/key_limits.py PARK
UPDATE runs SET parked = 3, ver = runs.ver + 1, assigned_to = NULL, assigned_until = NULL FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS ver FROM json_each(:d)) AS d
WHERE runs.id = d.id AND runs.ver = d.ver;

-- leasing/key_limits.py FORGET
DELETE FROM limit_runs WHERE run_id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d);

-- leasing/key_limits.py NOTE
INSERT INTO limit_runs (run_id, name, waits, turn) SELECT d.id, d.name, d.waits, d.turn FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS name, json_extract(value, '$[2]') AS waits, json_extract(value, '$[3]') AS turn FROM json_each(:d)) AS d;

-- leasing/key_limits.py HELD
SELECT h.run_id, h.name FROM limit_runs h WHERE h.waits = 0 AND h.run_id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d);

-- leasing/key_upkeep.py NAMES
SELECT name FROM limit_keys WHERE name > :after ORDER BY name LIMIT :limit;

-- leasing/key_upkeep.py LOCK_COUNTS
SELECT k.name, k.used, k.wake_at, k.pace_us, k.burst, k.ver FROM limit_keys k
WHERE k.name IN (SELECT d.name FROM (SELECT json_extract(value, '$[0]') AS name FROM json_each(:d)) AS d)
ORDER BY k.name;

-- leasing/key_upkeep.py HOLDING
SELECT h.name, count(*) FROM limit_runs h JOIN runs r ON r.id = h.run_id
WHERE h.name IN (SELECT d.name FROM (SELECT json_extract(value, '$[0]') AS name FROM json_each(:d)) AS d) AND h.waits = 0 AND r.state = 'RUNNING' AND (r.follow & 2048) <> 0
GROUP BY h.name;

-- leasing/key_upkeep.py ON_WORKERS
SELECT r.job_id, r.session_id, count(*) FROM runs r
WHERE r.state = 'RUNNING' AND r.session_id > '' AND r.lease_id IS NOT NULL AND (r.follow & 4096) <> 0
GROUP BY r.job_id, r.session_id;

-- leasing/key_upkeep.py CORRECT
UPDATE limit_keys SET used = d.used, ver = limit_keys.ver + 1 FROM (SELECT json_extract(value, '$[0]') AS name, json_extract(value, '$[1]') AS ver, json_extract(value, '$[2]') AS used FROM json_each(:d)) AS d
WHERE limit_keys.name = d.name AND limit_keys.ver = d.ver;

-- leasing/key_upkeep.py DROP_IDLE
DELETE FROM limit_keys
WHERE name IN (SELECT d.name FROM (SELECT json_extract(value, '$[0]') AS name FROM json_each(:d)) AS d) AND used = 0 AND coalesce(wake_at, 0) = 0
      AND (spent_until IS NULL OR spent_until < :now);

-- leasing/key_waiters.py FIRST
SELECT d.name, (SELECT w.run_id FROM limit_runs w WHERE w.name = d.name AND w.waits = 1
                ORDER BY w.turn, w.run_id LIMIT 1)
FROM (SELECT json_extract(value, '$[0]') AS name FROM json_each(:d)) AS d;

-- leasing/key_waiters.py WAITERS
SELECT w.run_id FROM limit_runs w WHERE w.name = :name AND w.waits = 1 ORDER BY w.turn, w.run_id LIMIT :n;

-- leasing/key_waiters.py PARKED_RUNS
SELECT r.id, r.ver FROM runs r
WHERE r.id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d) AND r.state = 'PENDING' AND r.parked = 3
ORDER BY r.id;

-- leasing/key_waiters.py STILL_PARKED
SELECT r.id FROM runs r
WHERE r.id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d) AND r.state = 'PENDING' AND r.parked = 3;

-- leasing/key_waiters.py FORGET_WAITERS
DELETE FROM limit_runs
WHERE (run_id, name) IN (SELECT d.id, d.name FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS name FROM json_each(:d)) AS d) AND waits = 1;

-- leasing/key_waiters.py SET_WAKE
UPDATE limit_keys SET wake_at = d.at, ver = limit_keys.ver + 1 FROM (SELECT json_extract(value, '$[0]') AS name, json_extract(value, '$[1]') AS at FROM json_each(:d)) AS d WHERE limit_keys.name = d.name;

-- leasing/key_waiters.py DUE_KEYS
SELECT k.name, k.used, k.pace_us, k.burst, k.spent_until FROM limit_keys k WHERE k.wake_at <= foliot_now()
ORDER BY k.wake_at, k.name LIMIT :limit;

-- leasing/leased_runs.py REPEATED
SELECT r.session_id, r.request_no, r.id, r.job_id, r.version, r.attempt, r.lease_id, r.fence, r.leased_at, r.shard,
       r.follow, r.due_at, r.params, r.checkpoint, r.reason
FROM (SELECT json_extract(value, '$[0]') AS session, json_extract(value, '$[1]') AS request_no FROM json_each(:d)) AS d JOIN runs r ON r.session_id = d.session AND r.request_no = d.request_no AND r.state = 'RUNNING';

-- leasing/leases.py RAISE_FENCES
UPDATE cursors SET fence_seq = d.runs + CASE WHEN cursors.fence_seq < 1048576 THEN 1048576
                                             ELSE cursors.fence_seq END
FROM (SELECT json_extract(value, '$[0]') AS job_id, json_extract(value, '$[1]') AS runs FROM json_each(:d)) AS d WHERE cursors.job_id = d.job_id;

-- leasing/leases.py FENCES
SELECT c.job_id, c.fence_seq FROM cursors c WHERE c.job_id IN (SELECT d.job_id FROM (SELECT json_extract(value, '$[0]') AS job_id FROM json_each(:d)) AS d) ORDER BY c.job_id;

-- leasing/leases.py LOCK_PICKED
SELECT r.id, r.ver FROM runs r WHERE r.id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d) AND r.state = 'PENDING'
ORDER BY r.id;

-- leasing/leases.py LEASE
UPDATE runs SET state = 'RUNNING', ver = runs.ver + 1, attempt = runs.attempt + 1, lease_id = d.lease_id,
       session_id = d.session, request_no = d.request_no, fence = d.fence, leased_at = :now,
       deadline_at = d.deadline_at
FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS ver, json_extract(value, '$[2]') AS lease_id, json_extract(value, '$[3]') AS session, json_extract(value, '$[4]') AS request_no, json_extract(value, '$[5]') AS fence, json_extract(value, '$[6]') AS deadline_at FROM json_each(:d)) AS d
WHERE runs.id = d.id AND runs.ver = d.ver;

-- leasing/leases.py LEASE_ASSIGNED
UPDATE runs SET state = 'RUNNING', ver = runs.ver + 1, attempt = runs.attempt + 1, lease_id = d.lease_id,
       session_id = d.session, request_no = d.request_no, fence = d.fence, leased_at = :now,
       deadline_at = d.deadline_at, parked = 0, assigned_to = NULL, assigned_until = NULL
FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS ver, json_extract(value, '$[2]') AS lease_id, json_extract(value, '$[3]') AS session, json_extract(value, '$[4]') AS request_no, json_extract(value, '$[5]') AS fence, json_extract(value, '$[6]') AS deadline_at FROM json_each(:d)) AS d
WHERE runs.id = d.id AND runs.ver = d.ver;

-- leasing/leases.py LEASE_COUNTED
UPDATE runs SET state = 'RUNNING', ver = runs.ver + 1, attempt = runs.attempt + 1, lease_id = d.lease_id,
       session_id = d.session, request_no = d.request_no, fence = d.fence, leased_at = :now,
       deadline_at = d.deadline_at, parked = 0, assigned_to = NULL, assigned_until = NULL, follow = runs.follow | d.counted
FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS ver, json_extract(value, '$[2]') AS lease_id, json_extract(value, '$[3]') AS session, json_extract(value, '$[4]') AS request_no, json_extract(value, '$[5]') AS fence, json_extract(value, '$[6]') AS deadline_at, json_extract(value, '$[7]') AS counted FROM json_each(:d)) AS d
WHERE runs.id = d.id AND runs.ver = d.ver;

-- leasing/leases.py LANE_JOBS
SELECT v.job_id, max(v.version) FROM job_versions v
WHERE v.lane_id IN (SELECT d.lane FROM (SELECT json_extract(value, '$[0]') AS lane FROM json_each(:d)) AS d) OR v.merge_lane_id IN (SELECT d.lane FROM (SELECT json_extract(value, '$[0]') AS lane FROM json_each(:d)) AS d)
GROUP BY v.job_id;

-- leasing/limits.py ROOM
SELECT
    l.name, l.max, l.used, l.claim_lane, l.claim_rank, l.claim_until, l.pace_us, l.burst, l.spent_until
 FROM (SELECT json_extract(value, '$[0]') AS name FROM json_each(:d)) AS d JOIN limits l ON l.name = d.name;

-- leasing/limits.py LOCK
   SELECT
   l.name, l.max, l.used, l.claim_lane, l.claim_rank, l.claim_until, l.pace_us, l.burst, l.spent_until
FROM limits l WHERE l.name IN (SELECT d.name FROM (SELECT json_extract(value, '$[0]') AS name FROM json_each(:d)) AS d)
   ORDER BY l.name;

-- leasing/limits.py TAKE
   UPDATE limits SET used = limits.used + d.n, ver = limits.ver + 1,
          spent_until = CASE WHEN limits.pace_us IS NULL THEN limits.spent_until
                             ELSE
   CASE WHEN limits.spent_until > :now
             AND limits.spent_until <= :now + limits.burst * limits.pace_us + 10000000
        THEN limits.spent_until ELSE :now END
+ d.starts * limits.pace_us END
   FROM (SELECT json_extract(value, '$[0]') AS name, json_extract(value, '$[1]') AS n, json_extract(value, '$[2]') AS starts FROM json_each(:d)) AS d
   WHERE limits.name = d.name AND limits.used + d.n <= limits.max
         AND (limits.pace_us IS NULL
              OR
   CASE WHEN limits.spent_until > :now
             AND limits.spent_until <= :now + limits.burst * limits.pace_us + 10000000
        THEN limits.spent_until ELSE :now END
+ d.starts * limits.pace_us <= :now + limits.burst * limits.pace_us);

-- leasing/limits.py CLAIM
UPDATE limits SET claim_lane = d.lane, claim_rank = d.rank, claim_until = d.until FROM (SELECT json_extract(value, '$[0]') AS name, json_extract(value, '$[1]') AS lane, json_extract(value, '$[2]') AS rank, json_extract(value, '$[3]') AS until FROM json_each(:d)) AS d
WHERE limits.name = d.name AND (limits.claim_until IS NULL OR limits.claim_until <= :now
                                OR limits.claim_lane = d.lane OR limits.claim_rank > d.rank);

-- leasing/limits.py UNCLAIM
UPDATE limits SET claim_lane = NULL, claim_rank = NULL, claim_until = NULL FROM (SELECT json_extract(value, '$[0]') AS name, json_extract(value, '$[1]') AS lane FROM json_each(:d)) AS d
WHERE limits.name = d.name AND limits.claim_lane = d.lane;

-- leasing/limits.py GIVE
UPDATE limits SET used = CASE WHEN limits.used > d.n THEN limits.used - d.n ELSE 0 END, ver = limits.ver + 1
FROM (SELECT json_extract(value, '$[0]') AS name, json_extract(value, '$[1]') AS n FROM json_each(:d)) AS d WHERE limits.name = d.name;

-- leasing/limits.py MAKE
INSERT INTO limits (name, max, used, ver, namespace)
SELECT d.name, d.max, 0, 1, d.namespace FROM (SELECT json_extract(value, '$[0]') AS name, json_extract(value, '$[1]') AS max, json_extract(value, '$[2]') AS namespace FROM json_each(:d)) AS d WHERE true ON CONFLICT DO NOTHING;

-- leasing/limits.py SET_MAX
UPDATE limits SET max = d.max, ver = limits.ver + 1 FROM (SELECT json_extract(value, '$[0]') AS name, json_extract(value, '$[1]') AS max FROM json_each(:d)) AS d
WHERE limits.name = d.name AND limits.max <> d.max;

-- leasing/limits.py SET_RATE
UPDATE limits SET rate = :rate, rate_per_us = :per_us, pace_us = :pace_us, burst = :burst, ver = ver + 1
WHERE name = :name;

-- leasing/limits.py MAXIMA
SELECT l.name, l.max FROM limits l WHERE l.name IN (SELECT d.name FROM (SELECT json_extract(value, '$[0]') AS name FROM json_each(:d)) AS d) ORDER BY l.name;

-- leasing/limits.py SHARED
SELECT limits.name FROM (SELECT json_extract(value, '$[0]') AS name FROM json_each(:d)) AS d JOIN limits ON limits.name = d.name;

-- leasing/limits.py NAMES
SELECT name FROM limits WHERE name > :after ORDER BY name LIMIT :limit;

-- leasing/limits.py LOCK_COUNTS
SELECT l.name, l.used, l.ver FROM limits l WHERE l.name IN (SELECT d.name FROM (SELECT json_extract(value, '$[0]') AS name FROM json_each(:d)) AS d)
ORDER BY l.name;

-- leasing/limits.py RUNNING
SELECT r.lane, r.follow & 7682, count(*) FROM runs r WHERE r.state = 'RUNNING' AND r.session_id > ''
       AND r.lease_id IS NOT NULL AND r.lane IN (SELECT d.lane FROM (SELECT json_extract(value, '$[0]') AS lane FROM json_each(:d)) AS d)
GROUP BY r.lane, r.follow & 7682;

-- leasing/limits.py CORRECT
UPDATE limits SET used = d.used, ver = limits.ver + 1 FROM (SELECT json_extract(value, '$[0]') AS name, json_extract(value, '$[1]') AS ver, json_extract(value, '$[2]') AS used FROM json_each(:d)) AS d
WHERE limits.name = d.name AND limits.ver = d.ver;

-- leasing/merge_input.py PARENTS
SELECT r.id, r.parent_id FROM runs r WHERE r.id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d);

-- leasing/merge_input.py SIZES
SELECT r.parent_id, sum(coalesce(length(r.result), 4) + 1) FROM runs r
WHERE r.parent_id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d) AND r.shard >= 0 GROUP BY r.parent_id;

-- leasing/merge_input.py RESULTS
SELECT r.parent_id, r.result FROM runs r
WHERE r.parent_id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d) AND r.shard >= 0 ORDER BY r.parent_id, r.shard;

-- leasing/run_kinds.py ASKING
   SELECT s.id, n.state, CASE WHEN n.until >= foliot_now() THEN 1 ELSE 0 END, m.epoch, foliot_now(), n.offer_hash, n.band,
          n.until, m.reap_after, m.last_tick_at, m.maintenance_until, m.scopes_ver
FROM store_meta m CROSS JOIN (SELECT json_extract(value, '$[0]') AS id FROM json_each(:s)) AS s LEFT JOIN nodes n ON n.id = s.id WHERE m.id = 1;

-- leasing/run_kinds.py PRESENT_NEXT
SELECT r.lane, r.class, r.priority FROM runs r
WHERE r.state = 'PENDING' AND r.parked = 0 AND (r.lane, r.class, r.priority) > (:lane, :class, :priority)
ORDER BY r.lane, r.class, r.priority LIMIT 1;

-- leasing/scopes.py SCOPES
SELECT name FROM limits WHERE (name > 'grp:' AND name < 'grp;') OR (name > 'ns:' AND name < 'ns;');

-- leasing/scopes.py CHANGED
UPDATE store_meta SET scopes_ver = scopes_ver + 1 WHERE id = 1;

-- leasing/scopes.py UNCOUNTED
SELECT r.id, r.lease_id, d.bit FROM runs r JOIN (SELECT json_extract(value, '$[0]') AS lane, json_extract(value, '$[1]') AS bit FROM json_each(:d)) AS d ON d.lane = r.lane
WHERE r.state = 'RUNNING' AND r.session_id > '' AND r.lease_id IS NOT NULL AND (r.follow & d.bit) = 0;

-- leasing/scopes.py LOCK
SELECT r.id FROM runs r WHERE r.id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d) ORDER BY r.id;

-- leasing/scopes.py COUNT_IN
UPDATE runs SET follow = runs.follow | d.bits, ver = runs.ver + 1 FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS lease_id, json_extract(value, '$[2]') AS bits FROM json_each(:d)) AS d
WHERE runs.id = d.id AND runs.lease_id = d.lease_id;

-- leasing/unassigned.py UNASSIGNED.each
   SELECT
   r.id, r.ver, r.job_id, r.version, r.fire_key, r.shard, r.attempt, r.lane, r.class, r.priority, r.not_before,
   r.params, r.assigned_before, r.follow, r.session_id
FROM runs r
   WHERE r.lane = :lane AND r.class = :class AND r.priority = :priority AND r.state = 'PENDING' AND r.parked = 0 AND r.not_before <= foliot_now()
   ORDER BY r.not_before, r.id LIMIT :n;

-- leasing/unassigned.py UNASSIGNED_DOUBTING.each
   SELECT
   r.id, r.ver, r.job_id, r.version, r.fire_key, r.shard, r.attempt, r.lane, r.class, r.priority, r.not_before,
   r.params, r.assigned_before, r.follow, r.session_id
FROM runs r
   WHERE r.lane = :lane AND r.class = :class AND r.priority = :priority AND r.state = 'PENDING' AND r.parked = 0 AND r.not_before <= foliot_now()
   AND (r.not_before <= :believed OR r.created_at > :good OR (r.ver > 1 AND r.not_before >= :landed))
   ORDER BY r.not_before, r.id LIMIT :n;

-- leasing/unassigned.py WAITING
SELECT l.lane, (SELECT 1 FROM runs r WHERE r.lane = l.lane AND r.state = 'PENDING' AND r.parked = 0 LIMIT 1)
FROM (SELECT json_extract(value, '$[0]') AS lane FROM json_each(:l)) AS l;

-- leasing/unreadable.py PUT_OFF
UPDATE runs SET not_before = :not_before, ver = runs.ver + 1 FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS ver FROM json_each(:d)) AS d
WHERE runs.id = d.id AND runs.ver = d.ver;

-- locking/decisions.py DRAW
UPDATE locks SET token = locks.token + 1, used_at = foliot_now() FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d WHERE locks.id = d.id;

-- locking/decisions.py IN_ORDER
SELECT l.id FROM locks l WHERE l.id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d) ORDER BY l.id;

-- locking/decisions.py MAKE
INSERT INTO locks (namespace, name, token, used_at)
SELECT d.namespace, d.name, coalesce((SELECT f.token FROM locks f WHERE f.namespace = '' AND f.name = ''), 0), foliot_now()
FROM (SELECT json_extract(value, '$[0]') AS namespace, json_extract(value, '$[1]') AS name FROM json_each(:d)) AS d WHERE true ON CONFLICT DO NOTHING;

-- locking/decisions.py RAISE
UPDATE locks SET token = d.drawn FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS drawn FROM json_each(:d)) AS d WHERE locks.id = d.id;

-- locking/decisions.py CLAIMS
   SELECT
   l.id AS of_lock, l.token AS drawn, l.used_at AS drawn_at,
   (SELECT CASE WHEN m.clock_suspect = 1 OR m.reap_after > foliot_now() THEN 1 ELSE 0 END FROM store_meta m WHERE m.id = 1)
AS doubt,
   (SELECT m.epoch FROM store_meta m WHERE m.id = 1) AS epoch, c.id, c.lock_id, c.place, c.most, c.owner, c.until,
   c.token, c.broken, c.asked_at, c.line, c.session_id
FROM locks l LEFT JOIN lock_claims c ON c.lock_id = l.id WHERE l.id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d);

-- locking/decisions.py GRANT
UPDATE lock_claims SET token = d.drawn, granted_at = :now, until = :now + lock_claims.ttl_us
FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS drawn FROM json_each(:d)) AS d WHERE lock_claims.id = d.id AND lock_claims.token IS NULL AND lock_claims.broken IS NULL;

-- locking/decisions.py EXPIRE
DELETE FROM lock_claims WHERE id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d) AND until <= :now;

-- locking/decisions.py DROP
DELETE FROM lock_claims WHERE id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d);

-- locking/reads.py LOOK
SELECT c.id, c.token, c.broken, c.ttl_us FROM lock_claims c WHERE c.id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d);

-- locking/reads.py WAITS
SELECT c.id, c.lock_id, c.place, c.most, c.owner, c.until, c.token, c.broken, c.asked_at, c.made_by, c.run_id,
       l.namespace, l.name, j.name AS job
FROM lock_claims c JOIN locks l ON l.id = c.lock_id
     LEFT JOIN runs r ON r.id = c.run_id LEFT JOIN jobs j ON j.id = r.job_id
WHERE c.lock_id IN (SELECT w.lock_id FROM lock_claims w WHERE w.token IS NULL)
ORDER BY c.lock_id, c.place LIMIT :limit;

-- locking/reads.py PAGE
   SELECT l.id, l.namespace, l.name, l.token FROM locks l
   WHERE (l.namespace > :after_namespace OR l.namespace = :after_namespace AND l.name > :after_name)
     AND EXISTS (SELECT 1 FROM lock_claims c WHERE c.lock_id = l.id)
ORDER BY l.namespace, l.name LIMIT :limit;

-- locking/reads.py PAGE_IN
   SELECT l.id, l.namespace, l.name, l.token FROM locks l
   WHERE (l.namespace > :after_namespace OR l.namespace = :after_namespace AND l.name > :after_name)
     AND EXISTS (SELECT 1 FROM lock_claims c WHERE c.lock_id = l.id)
AND l.namespace = :namespace ORDER BY l.namespace, l.name LIMIT :limit;

-- locking/reads.py ONE
SELECT l.id, l.namespace, l.name, l.token FROM locks l WHERE l.namespace = :namespace AND l.name = :name;

-- locking/reads.py SHOWN
SELECT c.id, c.lock_id, c.most, c.token, c.made_by, c.line, c.run_id, j.name AS job, n.name AS node, c.asked_at,
       c.granted_at, c.until
FROM lock_claims c LEFT JOIN runs r ON r.id = c.run_id LEFT JOIN jobs j ON j.id = r.job_id
     LEFT JOIN nodes n ON n.id = c.session_id
WHERE c.lock_id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d) ORDER BY c.lock_id, c.place;

-- locking/reads.py AWAITED
SELECT l.id, l.namespace, l.name, l.token FROM locks l
WHERE l.id IN (SELECT c.lock_id FROM lock_claims c
               WHERE c.session_id = (SELECT r.session_id FROM runs r WHERE r.id = :run_id)
                 AND c.run_id = :run_id AND c.token IS NULL AND c.broken IS NULL)
ORDER BY l.name;

-- locking/reads.py ORDERS
SELECT DISTINCT a.name AS first, b.name AS after, w.run_id, j.name AS job, w.made_by
FROM lock_claims w JOIN lock_claims h ON h.session_id = w.session_id
          AND h.owner = w.owner AND h.lock_id <> w.lock_id
     JOIN locks a ON a.id = h.lock_id JOIN locks b ON b.id = w.lock_id
     LEFT JOIN runs r ON r.id = w.run_id LEFT JOIN jobs j ON j.id = r.job_id
WHERE w.token IS NULL AND w.broken IS NULL AND h.token IS NOT NULL
  AND (a.namespace = :namespace AND a.name = :name OR b.namespace = :namespace AND b.name = :name)
ORDER BY a.name, b.name, w.run_id LIMIT :limit;

-- locking/steps.py HOMES
SELECT d.lease_id, j.namespace FROM (SELECT json_extract(value, '$[0]') AS run_id, json_extract(value, '$[1]') AS lease_id, json_extract(value, '$[2]') AS session FROM json_each(:d)) AS d JOIN runs r ON r.id = d.run_id JOIN jobs j ON j.id = r.job_id
WHERE r.lease_id = d.lease_id AND r.session_id = d.session;

-- locking/steps.py WHERE
SELECT c.id, l.namespace, l.name FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d JOIN lock_claims c ON c.id = d.id JOIN locks l ON l.id = c.lock_id;

-- locking/steps.py FIND
SELECT l.namespace, l.name FROM (SELECT json_extract(value, '$[0]') AS namespace, json_extract(value, '$[1]') AS name FROM json_each(:d)) AS d JOIN locks l ON l.namespace = d.namespace AND l.name = d.name;

-- locking/steps.py TAKE
SELECT l.namespace, l.name FROM locks l
WHERE (l.namespace, l.name) IN (SELECT d.namespace, d.name FROM (SELECT json_extract(value, '$[0]') AS namespace, json_extract(value, '$[1]') AS name FROM json_each(:d)) AS d) ORDER BY l.id;

-- locking/steps.py TAKE_FREE
SELECT l.namespace, l.name FROM locks l
WHERE (l.namespace, l.name) IN (SELECT d.namespace, d.name FROM (SELECT json_extract(value, '$[0]') AS namespace, json_extract(value, '$[1]') AS name FROM json_each(:d)) AS d) ORDER BY l.id;

-- locking/steps.py DRAW_NAMED
UPDATE locks SET token = locks.token + d.numbers, used_at = foliot_now()
FROM (SELECT json_extract(value, '$[0]') AS namespace, json_extract(value, '$[1]') AS name, json_extract(value, '$[2]') AS numbers FROM json_each(:d)) AS d WHERE locks.namespace = d.namespace AND locks.name = d.name;

-- locking/steps.py CLAIMS_NAMED
   SELECT 0 AS asked_for, l.namespace, l.name,
   l.id AS of_lock, l.token AS drawn, l.used_at AS drawn_at,
   (SELECT CASE WHEN m.clock_suspect = 1 OR m.reap_after > foliot_now() THEN 1 ELSE 0 END FROM store_meta m WHERE m.id = 1)
AS doubt,
   (SELECT m.epoch FROM store_meta m WHERE m.id = 1) AS epoch, c.id, c.lock_id, c.place, c.most, c.owner, c.until,
   c.token, c.broken, c.asked_at, c.line, c.session_id
FROM (SELECT json_extract(value, '$[0]') AS namespace, json_extract(value, '$[1]') AS name FROM json_each(:d)) AS d JOIN locks l ON l.namespace = d.namespace AND l.name = d.name LEFT JOIN lock_claims c ON c.lock_id = l.id
   UNION ALL
   SELECT count(*), '', x.line, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM lock_claims x
   WHERE x.session_id IS NULL AND x.line IN (SELECT p.line FROM (SELECT json_extract(value, '$[0]') AS line FROM json_each(:p)) AS p) GROUP BY x.line
   UNION ALL
   SELECT count(*), y.session_id, '', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL FROM lock_claims y
   WHERE y.session_id IN (SELECT w.session FROM (SELECT json_extract(value, '$[0]') AS session FROM json_each(:w)) AS w) GROUP BY y.session_id;

-- locking/steps.py CLAIM
INSERT INTO lock_claims (id, lock_id, place, most, owner, until, token, ttl_us, asked_at, granted_at,
                             session_id, run_id, lease_id, line, made_by)
SELECT d.id, d.lock_id, d.place, d.most, d.owner, d.until, d.token, d.ttl_us, d.asked_at, d.granted_at,
       d.session_id, d.run_id, d.lease_id, d.line, d.made_by
FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS lock_id, json_extract(value, '$[2]') AS place, json_extract(value, '$[3]') AS most, json_extract(value, '$[4]') AS owner, json_extract(value, '$[5]') AS until, json_extract(value, '$[6]') AS token, json_extract(value, '$[7]') AS ttl_us, json_extract(value, '$[8]') AS asked_at, json_extract(value, '$[9]') AS granted_at, json_extract(value, '$[10]') AS session_id, json_extract(value, '$[11]') AS run_id, json_extract(value, '$[12]') AS lease_id, json_extract(value, '$[13]') AS line, json_extract(value, '$[14]') AS made_by FROM json_each(:d)) AS d WHERE true ON CONFLICT DO NOTHING;

-- locking/steps.py UNTIL
UPDATE lock_claims
SET until = CASE WHEN lock_claims.until > d.wanted_until THEN lock_claims.until ELSE d.wanted_until END,
    ttl_us = CASE WHEN lock_claims.ttl_us > d.wanted_ttl_us THEN lock_claims.ttl_us ELSE d.wanted_ttl_us END
FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS wanted_until, json_extract(value, '$[2]') AS wanted_ttl_us FROM json_each(:d)) AS d WHERE lock_claims.id = d.id AND lock_claims.until > :over;

-- locking/store.py RENEW
   UPDATE lock_claims SET until = foliot_now() + lock_claims.ttl_us
   FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d WHERE lock_claims.id = d.id AND lock_claims.token IS NOT NULL AND (lock_claims.until > foliot_now() OR
   (SELECT CASE WHEN m.clock_suspect = 1 OR m.reap_after > foliot_now() THEN 1 ELSE 0 END FROM store_meta m WHERE m.id = 1)
= 1) AND lock_claims.line = :line AND coalesce(lock_claims.session_id, '') = :session;

-- locking/store.py HELD
   SELECT lock_claims.id FROM lock_claims
   WHERE lock_claims.id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d) AND lock_claims.token IS NOT NULL AND (lock_claims.until > foliot_now() OR
   (SELECT CASE WHEN m.clock_suspect = 1 OR m.reap_after > foliot_now() THEN 1 ELSE 0 END FROM store_meta m WHERE m.id = 1)
= 1) AND lock_claims.line = :line AND coalesce(lock_claims.session_id, '') = :session;

-- locking/store.py UNDER_TOKEN
SELECT c.id, c.lock_id FROM locks l JOIN lock_claims c ON c.lock_id = l.id
WHERE l.namespace = :namespace AND l.name = :name AND c.token = :token;

-- locking/store.py BREAK
UPDATE lock_claims SET broken = d.cycle FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS cycle FROM json_each(:d)) AS d WHERE lock_claims.id = d.id;

-- locking/store.py ENDED
   SELECT c.id, c.lock_id, CASE WHEN c.token IS NOT NULL AND c.until > foliot_now() + c.ttl_us THEN 1 ELSE 0 END AS far,
          CASE WHEN r.id IS NULL AND c.run_id IS NOT NULL OR c.run_id IS NOT NULL AND r.lease_id IS NULL
                    OR r.lease_id <> c.lease_id OR c.session_id IS NOT NULL AND n.id IS NULL OR n.state = 'dead'
               THEN 2
               WHEN c.until <= foliot_now() AND
   (SELECT CASE WHEN m.clock_suspect = 1 OR m.reap_after > foliot_now() THEN 1 ELSE 0 END FROM store_meta m WHERE m.id = 1)
= 0 THEN 1 ELSE 0 END AS fate
   FROM lock_claims c LEFT JOIN runs r ON r.id = c.run_id LEFT JOIN nodes n ON n.id = c.session_id
   WHERE c.token IS NULL OR c.until <= foliot_now() AND
   (SELECT CASE WHEN m.clock_suspect = 1 OR m.reap_after > foliot_now() THEN 1 ELSE 0 END FROM store_meta m WHERE m.id = 1)
= 0 OR CASE WHEN c.token IS NOT NULL AND c.until > foliot_now() + c.ttl_us THEN 1 ELSE 0 END = 1
      OR r.id IS NULL AND c.run_id IS NOT NULL OR c.run_id IS NOT NULL AND r.lease_id IS NULL
      OR r.lease_id <> c.lease_id OR c.session_id IS NOT NULL AND n.id IS NULL OR n.state = 'dead'
   ORDER BY fate DESC, c.lock_id LIMIT :limit;

-- locking/store.py CLAMP
UPDATE lock_claims SET until = foliot_now() + lock_claims.ttl_us
FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d
WHERE lock_claims.id = d.id AND lock_claims.token IS NOT NULL AND lock_claims.until > foliot_now() + lock_claims.ttl_us;

-- locking/store.py IDLE
SELECT l.id, l.token FROM locks l
WHERE l.used_at < :before AND l.name <> '' AND NOT EXISTS (SELECT 1 FROM lock_claims c WHERE c.lock_id = l.id)
ORDER BY l.used_at LIMIT :limit;

-- locking/store.py KEEP_HIGHEST
UPDATE locks SET token = :token, used_at = foliot_now() WHERE namespace = '' AND name = '' AND token < :token;

-- locking/store.py FORGET
DELETE FROM locks WHERE id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d) AND used_at < :before;

-- node_store.py REGISTER
INSERT INTO nodes (id, name, kind, state, until, started_at, last_beat_at, beat_no, settled, group_name, slots,
                       version, protocol, host, pid, labels, handlers, namespace, owner, offer_bytes,
                       offer_hash, code, kinds, begun_at, asked_at, address, drills, role, weight)
SELECT d.id, d.name, d.kind, 'live', foliot_now() + :ttl, foliot_now(), foliot_now(), 0, 0, d.group_name, d.slots,
       d.version, d.protocol, d.host, d.pid, d.labels, d.handlers, d.namespace, d.owner, d.offer_bytes,
       d.offer_hash, d.code, d.kinds, foliot_now() - d.up_us, foliot_now() - d.asked_us_ago, d.address, d.drills, d.role,
       d.weight
FROM (SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS name, json_extract(value, '$[2]') AS kind, json_extract(value, '$[3]') AS group_name, json_extract(value, '$[4]') AS slots, json_extract(value, '$[5]') AS version, json_extract(value, '$[6]') AS protocol, json_extract(value, '$[7]') AS host, json_extract(value, '$[8]') AS pid, json_extract(value, '$[9]') AS labels, json_extract(value, '$[10]') AS handlers, json_extract(value, '$[11]') AS namespace, json_extract(value, '$[12]') AS owner, json_extract(value, '$[13]') AS offer_bytes, json_extract(value, '$[14]') AS offer_hash, json_extract(value, '$[15]') AS code, json_extract(value, '$[16]') AS kinds, json_extract(value, '$[17]') AS up_us, json_extract(value, '$[18]') AS asked_us_ago, json_extract(value, '$[19]') AS address, json_extract(value, '$[20]') AS drills, json_extract(value, '$[21]') AS role, json_extract(value, '$[22]') AS weight FROM json_each(:d)) AS d WHERE true
ON CONFLICT DO NOTHING;

-- node_store.py REGISTER_AGAIN
UPDATE nodes SET offers_at = CASE WHEN offer_hash = :offer_hash AND labels = :labels THEN offers_at ELSE foliot_now() END,
                 until = foliot_now() + :ttl, slots = :slots, version = :version, labels = :labels, handlers = :handlers,
                 offer_bytes = :offer_bytes, offer_hash = :offer_hash, code = :code, kinds = :kinds,
                 weight = :weight
WHERE id = :session AND kind = :kind AND state <> 'dead'
      AND coalesce(owner, '') = :owner;

-- node_store.py WHOSE
SELECT kind, owner FROM nodes WHERE id = :session;

-- node_store.py LIVE
SELECT count(*) FROM nodes WHERE state IN ('live', 'draining');

-- node_store.py LIVE_OF
SELECT count(*) FROM nodes WHERE state IN ('live', 'draining') AND kind = 'worker' AND owner = :owner;

-- node_store.py OFFERED_BY
SELECT offer_hash, max(offer_bytes) AS bytes, sum(CASE WHEN id = :session THEN 0 ELSE 1 END) AS others FROM nodes
WHERE state IN ('live', 'draining') AND kind = 'worker' AND owner = :owner AND offer_bytes > :few
GROUP BY offer_hash;

-- node_store.py IS_OFFERED_BY
SELECT 1 FROM nodes
WHERE state IN ('live', 'draining') AND kind = 'worker' AND owner = :owner AND offer_hash = :offer_hash
LIMIT 1;

-- node_store.py ADOPT
UPDATE nodes SET owner = :owner WHERE id = :session AND kind = 'worker' AND owner IS NULL;

-- node_store.py HELLO
SELECT id, name, group_name, slots, handlers, labels, version, protocol, pid, host, namespace, owner, offer_hash,
       weight
FROM nodes
WHERE id = :session AND kind = 'worker' AND state <> 'dead';

-- node_store.py ADDRESSES
SELECT DISTINCT address FROM nodes
WHERE state = 'live' AND until >= foliot_now() AND kind = 'server' AND address IS NOT NULL
      AND coalesce(role, 'active') = 'active'
ORDER BY address LIMIT 32;

-- node_store.py UNDRAIN
UPDATE nodes SET state = 'live', drained_by = NULL, draining_at = NULL WHERE id = :session AND state = 'draining' AND drained_by IS NOT NULL;

-- node_store.py LEFT
SELECT r.id, r.lease_id, r.request_no, r.started_at, n.progress
FROM nodes n JOIN runs r ON r.session_id = n.id AND r.state = 'RUNNING'
WHERE n.id = :session ORDER BY r.id LIMIT :limit;

-- node_store.py LEAVE
UPDATE nodes SET state = 'dead', ended_at = foliot_now(), settled = :settled WHERE id = :session AND state <> 'dead';

-- people/cluster_reads.py NODES
SELECT n.id, n.name, n.kind, n.state, n.until, n.started_at, n.last_beat_at, n.ended_at, n.group_name, n.slots,
       n.version, n.host, n.pid, n.wall_offset_us, n.labels, n.load, n.drained_by, n.namespace, listed.text_of,
       n.protocol, n.address, n.band, n.band_at, n.begun_at, n.asked_at, n.ready_at, n.draining_at, n.drills,
       n.role, n.role_at, n.weight, n.band_cause,
       speaker.handlers, stated.stated, coalesce(held.runs, 0) AS running
FROM (
  SELECT n.id, coalesce(n.offer_hash, n.id) AS text_of, row_number() OVER (PARTITION BY coalesce(n.offer_hash, n.id) ORDER BY n.id) AS nth
  FROM (SELECT id, offer_hash FROM nodes WHERE state <> 'dead' OR ended_at >= :since
        ORDER BY kind, name, started_at LIMIT 5000) n
) listed
JOIN nodes n ON n.id = listed.id
LEFT JOIN nodes speaker ON speaker.id = listed.id AND listed.nth = 1
LEFT JOIN worker_kinds stated ON stated.hash = speaker.kinds
LEFT JOIN (SELECT r.session_id, count(*) AS runs FROM runs r
           WHERE r.state = 'RUNNING' AND r.session_id > '' GROUP BY r.session_id) held ON held.session_id = n.id
ORDER BY n.kind, n.name, n.started_at;

-- people/cluster_reads.py CLUSTER
SELECT foliot_now() AS now, m.epoch, m.clock_suspect, m.clock_ahead_us, l.holder_session, l.term, l.until, n.name,
       maintenance_until, maintenance_at, maintenance_by, maintenance_reason,
       (SELECT count(*) FROM (SELECT 1 AS one FROM runs WHERE state = 'PENDING' AND parked = 0  LIMIT 10001) q) AS queue,
       (SELECT min(q.not_before) FROM (SELECT not_before FROM runs WHERE state = 'PENDING' AND parked = 0
                                       LIMIT 10001) q) AS oldest_ready_at,
       (SELECT count(*) FROM (SELECT 1 AS one FROM runs WHERE state = 'PENDING' AND parked = 2 AND assigned_to > '' LIMIT 10001) q) AS assigned,
       (SELECT min(q.not_before) FROM (SELECT not_before FROM runs WHERE state = 'PENDING' AND parked = 2 AND assigned_to > ''
                                       LIMIT 10001) q) AS oldest_assigned_at,
       (SELECT count(*) FROM (SELECT 1 AS one FROM runs WHERE state = 'RUNNING'
                              LIMIT 10001) q) AS running,
       (SELECT c.next_at FROM cursors c WHERE c.next_at <= foliot_now() ORDER BY c.next_at LIMIT 1) AS overdue_at
FROM store_meta m JOIN leases l ON l.name = 'leader' LEFT JOIN nodes n ON n.id = l.holder_session
WHERE m.id = 1;

-- people/cluster_reads.py ELECTED
SELECT at FROM events WHERE event_key = :key;

-- people/days.py ENDED
SELECT w.due_at / :quarter AS quarter, w.state, count(*) AS runs FROM (
  SELECT q.due_at, q.state, q.shard, q.parent_id, q.follow FROM runs q
  WHERE q.job_id = :job_id ORDER BY q.id DESC LIMIT :look
) w
WHERE w.due_at >= :from_at AND w.due_at < :to_at AND w.shard = -1 AND w.parent_id IS NULL AND (w.follow & 128) <> 128
GROUP BY w.due_at / :quarter, w.state;

-- people/days.py PASSED_OVER
SELECT w.to_at / :quarter AS quarter, sum(w.instants) AS instants FROM (
  SELECT to_at, count AS instants FROM skips
  WHERE job_id = :job_id AND to_at >= :from_at AND to_at < :to_at ORDER BY to_at DESC LIMIT :look
) w GROUP BY w.to_at / :quarter;

-- people/days.py OLDEST_LOOKED_AT
SELECT due_at FROM runs WHERE job_id = :job_id ORDER BY id DESC LIMIT 1 OFFSET :look;

-- people/glance.py BETWEEN
SELECT c.job_id FROM (
  SELECT job_id, next_at, state FROM cursors WHERE next_at > :after AND next_at <= :until
  ORDER BY next_at, job_id LIMIT :look
) c JOIN jobs j ON j.id = c.job_id
WHERE c.state = 'active' AND j.deleted_at = 0 AND j.namespace >= :low AND j.namespace <= :high
ORDER BY c.next_at, c.job_id LIMIT :rows;

-- people/glance.py NAMESPACES
WITH RECURSIVE walk (namespace, step) AS (
  SELECT (SELECT min(namespace) FROM jobs), 1
  UNION ALL
  SELECT (SELECT min(j.namespace) FROM jobs j WHERE j.namespace > walk.namespace), step + 1
  FROM walk WHERE walk.namespace IS NOT NULL AND step < :most
)
SELECT namespace FROM walk WHERE namespace IS NOT NULL ORDER BY namespace;

-- people/glance.py THIS_NAMESPACE
SELECT namespace FROM jobs WHERE namespace = :namespace LIMIT 1;

-- people/holds.py LANES_AMONG
SELECT lanes.id, lanes.document FROM (SELECT json_extract(value, '$[0]') AS lane FROM json_each(:d)) AS d JOIN lanes ON lanes.id = d.lane;

-- people/holds.py LIMITS
SELECT limits.name, limits.max, limits.used, limits.rate, limits.rate_per_us, limits.pace_us, limits.burst,
       limits.spent_until, foliot_now() AS seen_at,
       CASE WHEN limits.claim_until > foliot_now() THEN limits.claim_lane END AS claimed_by
FROM (SELECT json_extract(value, '$[0]') AS label FROM json_each(:d)) AS d JOIN limits ON limits.name = d.label;

-- people/holds.py HEADS
SELECT h.id, h.job_id, h.place FROM runs h WHERE h.id IN (
  SELECT (SELECT r.id FROM runs r
          WHERE r.job_id = d.job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place IS NOT NULL
            AND r.parent_id IS NULL
          ORDER BY r.place, r.id LIMIT 1)
  FROM (SELECT json_extract(value, '$[0]') AS job_id FROM json_each(:d)) AS d);

-- people/job_reads.py ONE
SELECT
    j.id, j.namespace, j.name, j.deleted_at, j.version, j.source, j.pause_reason, j.paused_by, j.paused_at,
    j.created_at, j.updated_at, j.source_module, j.undeclared_at, j.retirement, j.renamed_to,
    v.hash, v.definition, v.created_by, c.state, c.next_at, c.next_due_at, c.remaining, c.trouble FROM jobs j
    JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
    JOIN cursors c ON c.job_id = j.id WHERE j.namespace = :namespace AND j.name = :name AND j.deleted_at = 0;

-- people/job_reads.py BY_NAME_IN
SELECT id, namespace, name FROM jobs WHERE namespace = :namespace AND name > :name AND deleted_at = 0 ORDER BY namespace, name LIMIT :rows;

-- people/job_reads.py BY_NAME
SELECT id, namespace, name FROM jobs WHERE (namespace, name) > (:namespace, :name) AND deleted_at = 0 ORDER BY namespace, name LIMIT :rows;

-- people/job_reads.py NARROWED
SELECT j.id, j.namespace, j.name FROM (
  SELECT id, namespace, name, version FROM jobs
  WHERE (namespace, name) > (:namespace, :name) AND namespace <= :high AND deleted_at = 0 ORDER BY namespace, name LIMIT 20000
) j
JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
JOIN cursors c ON c.job_id = j.id
WHERE (lower(j.name) LIKE :pattern ESCAPE '!' OR lower(v.definition) LIKE :pattern ESCAPE '!'
       OR ((j.name LIKE :sharp OR j.name LIKE :capital_sharp) AND lower(j.name) LIKE :folded ESCAPE '!')
       OR ((v.definition LIKE :sharp OR v.definition LIKE :capital_sharp)
           AND lower(v.definition) LIKE :folded ESCAPE '!'))
  AND c.state LIKE :state AND coalesce(c.next_at, 0) < :due_before
ORDER BY j.namespace, j.name LIMIT :rows;

-- people/job_reads.py EDGE
SELECT id, namespace, name FROM jobs WHERE (namespace, name) > (:namespace, :name) AND namespace <= :high AND deleted_at = 0
ORDER BY namespace, name LIMIT 1 OFFSET 19999;

-- people/job_reads.py BY_NEXT
SELECT job_id AS id, next_at FROM cursors WHERE (next_at, job_id) > (:next_at, :job_id) ORDER BY next_at, job_id LIMIT :rows;

-- people/job_reads.py BY_NAMES
SELECT jobs.id, jobs.namespace, jobs.name FROM (SELECT json_extract(value, '$[0]') AS namespace, json_extract(value, '$[1]') AS name FROM json_each(:d)) AS d
JOIN jobs ON jobs.namespace = d.namespace AND jobs.name = d.name AND jobs.deleted_at = 0;

-- people/job_reads.py BY_ID
SELECT
    j.id, j.namespace, j.name, j.deleted_at, j.version, j.source, j.pause_reason, j.paused_by, j.paused_at,
    j.created_at, j.updated_at, j.source_module, j.undeclared_at, j.retirement, j.renamed_to,
    v.hash, v.definition, v.created_by, c.state, c.next_at, c.next_due_at, c.remaining, c.trouble FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d JOIN jobs j ON j.id = d.id
    JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
    JOIN cursors c ON c.job_id = j.id;

-- people/job_reads.py LAST_RUNS
SELECT r.id, r.job_id, r.state, r.kind, r.created_at, r.started_at, r.ended_at, r.attempt, r.place, r.cancel_at,
       r.parent_id, r.lane, r.not_before, r.serial
FROM (SELECT json_extract(value, '$[0]') AS job_id FROM json_each(:d)) AS d JOIN runs r ON r.id = (
  SELECT q.id FROM runs q
  WHERE q.job_id = d.job_id AND q.shard = -1 AND q.parent_id IS NULL AND (q.follow & 128) <> 128
  ORDER BY q.id DESC LIMIT 1
);

-- people/job_reads.py NAMESAKES
SELECT id, source FROM jobs WHERE namespace = :namespace AND name = :name
ORDER BY CASE WHEN deleted_at = 0 THEN 0 WHEN source = 'test' THEN 2 ELSE 1 END, id DESC LIMIT :rows;

-- people/job_reads.py NAMES
SELECT namespace, name FROM jobs WHERE deleted_at = 0 ORDER BY namespace, name LIMIT :rows;

-- people/job_reads.py NAMES_IN
SELECT namespace, name FROM jobs WHERE namespace = :namespace AND deleted_at = 0 ORDER BY name LIMIT :rows;

-- people/job_reads.py VERSIONS
SELECT version, hash, definition, created_at, created_by, reason FROM job_versions WHERE job_id = :job_id AND version < :before ORDER BY version DESC LIMIT :rows;

-- people/job_reads.py VERSION
SELECT version, hash, definition, created_at, created_by, reason FROM job_versions WHERE job_id = :job_id AND version = :version;

-- people/job_reads.py SEARCH
SELECT
j.id, j.namespace, j.name, j.deleted_at, j.version, j.source, j.pause_reason, j.paused_by, j.paused_at,
j.created_at, j.updated_at, j.source_module, j.undeclared_at, j.retirement, j.renamed_to,
v.hash, v.definition, v.created_by, c.state, c.next_at, c.next_due_at, c.remaining, c.trouble FROM (
  SELECT * FROM jobs WHERE namespace >= :low AND namespace <= :high AND deleted_at = 0
  ORDER BY namespace, name LIMIT 20000
) j
JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
JOIN cursors c ON c.job_id = j.id
WHERE lower(j.name) LIKE :pattern ESCAPE '!' OR lower(v.definition) LIKE :pattern ESCAPE '!'
ORDER BY CASE WHEN lower(j.name) LIKE :prefix ESCAPE '!' THEN 0
              WHEN lower(j.name) LIKE :pattern ESCAPE '!' THEN 1 ELSE 2 END, j.namespace, j.name
LIMIT :rows;

-- people/journal.py _NOTE
INSERT INTO events (event_key, at, topic, kind, namespace, subject, made_by, data) SELECT n.event_key, foliot_now(), n.topic, n.kind, n.namespace, n.subject, n.made_by, n.data FROM (SELECT json_extract(value, '$[0]') AS event_key, json_extract(value, '$[1]') AS topic, json_extract(value, '$[2]') AS kind, json_extract(value, '$[3]') AS namespace, json_extract(value, '$[4]') AS subject, json_extract(value, '$[5]') AS made_by, json_extract(value, '$[6]') AS data FROM json_each(:n)) AS n WHERE (EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = :term) OR :term IS NULL) ON CONFLICT DO NOTHING;

-- people/journal.py _BEFORE
SELECT id, at, topic, kind, namespace, subject, made_by, data FROM events WHERE id < :before ORDER BY id DESC LIMIT :rows;

-- people/journal.py _BEFORE_OF
SELECT id, at, topic, kind, namespace, subject, made_by, data FROM events WHERE subject = :subject AND id < :before ORDER BY id DESC LIMIT :rows;

-- people/journal.py _AFTER
SELECT id, at, topic, kind, namespace, subject, made_by, data FROM events WHERE id > :after ORDER BY id LIMIT :rows;

-- people/journal.py _NEWEST
SELECT coalesce(max(id), 0) FROM events;

-- people/journal.py _OLD
SELECT id FROM events WHERE at < :before ORDER BY at LIMIT :rows;

-- people/journal.py _FORGET
DELETE FROM events WHERE id >= :first AND id <= :last AND at < :before;

-- people/key_holds.py AWAITED
SELECT w.run_id, k.name, k.said, k.used, k.pace_us, k.burst, k.spent_until, foliot_now() AS seen_at,
       (SELECT min(h.run_id) FROM limit_runs h WHERE h.name = k.name AND h.waits = 0) AS holder
FROM limit_runs w JOIN limit_keys k ON k.name = w.name
WHERE w.waits = 1 AND w.run_id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d);

-- people/key_holds.py FULL_WORKERS
SELECT count(*) FROM limit_keys WHERE name > :first AND name < :beyond AND used >= :most;

-- people/key_use.py FULL
SELECT k.name, k.said, k.used, k.pace_us, k.burst, k.spent_until, foliot_now() AS seen_at
FROM (SELECT l.name, l.said, l.used, l.pace_us, l.burst, l.spent_until FROM limit_keys l
      WHERE l.name > :first AND l.name < :beyond ORDER BY l.name LIMIT 10000) k
WHERE (k.pace_us = 0 AND k.used >= :most)
      OR (k.pace_us > 0 AND k.spent_until - (k.burst - 1) * k.pace_us > foliot_now())
ORDER BY k.used DESC, k.spent_until DESC, k.name LIMIT :rows;

-- people/key_use.py WAITING
SELECT count(*) FROM (SELECT w.run_id FROM limit_runs w WHERE w.name = :name AND w.waits = 1 LIMIT :rows) q;

-- people/key_use.py HOLDING
SELECT h.run_id FROM limit_runs h WHERE h.name = :name AND h.waits = 0 ORDER BY h.turn, h.run_id LIMIT :rows;

-- people/key_use.py WORKERS
SELECT nodes.id, nodes.name FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d JOIN nodes ON nodes.id = d.id;

-- people/ledger_page.py SKIPPED_SINCE
SELECT foliot_now() AS now, maintenance_until, maintenance_at, maintenance_by, maintenance_reason, s.* FROM store_meta m LEFT JOIN (
  SELECT from_at, to_at, count AS instants, reason, why, cause, version, decided_at FROM skips WHERE job_id = :job_id AND to_at >= :since AND from_at <= foliot_now()
  ORDER BY to_at DESC LIMIT :rows) s ON true
WHERE m.id = 1 ORDER BY s.to_at DESC;

-- people/ledger_page.py VERSIONS_AMONG
SELECT v.version, v.hash, v.definition, v.created_at, v.created_by, v.reason, d.lane, l.document AS lane_document FROM (SELECT json_extract(value, '$[0]') AS version, json_extract(value, '$[1]') AS lane FROM json_each(:d)) AS d JOIN job_versions v ON v.job_id = :job_id AND v.version = d.version LEFT JOIN lanes l ON l.id = d.lane;

-- people/ledger_page.py LAST_TRIES
SELECT a.run_id, a.attempt, a.cause, n.name AS node, a.session_id, a.fence, a.leased_at, a.started_at, a.ended_at, a.error, a.error_type FROM (SELECT json_extract(value, '$[0]') AS run_id FROM json_each(:d)) AS d JOIN attempts a ON a.run_id = d.run_id LEFT JOIN nodes n ON n.id = a.session_id WHERE a.attempt = (SELECT max(b.attempt) FROM attempts b WHERE b.run_id = d.run_id);

-- people/ledger_page.py SHARD_STATES
SELECT r.parent_id, r.state, count(*) AS runs FROM (SELECT json_extract(value, '$[0]') AS run_id FROM json_each(:d)) AS d JOIN runs r ON r.parent_id = d.run_id WHERE r.shard >= 0 GROUP BY r.parent_id, r.state;

-- people/ledger_page.py LINE_AND_OBSTACLES
SELECT
r.id, r.job_id, r.version, r.fire_key, r.shard, r.parent_id, r.open_children, r.due_at, r.not_before, r.lane,
r.class AS paced, r.priority, r.serial, r.place, r.parked, r.follow, r.state, r.kind, r.ver, r.attempt, r.failures,
r.deaths, r.created_at, r.cancel_at, r.session_id, r.fence, r.leased_at, r.started_at, r.deadline_at, r.ended_at,
r.triggered_by, r.reason, r.params, r.result, r.error, r.error_type, r.cancelled_by, r.cancel_reason, r.assigned_to,
r.assigned_until, r.assigned_before, j.namespace, j.name AS job, n.name AS node, d.is_in_line FROM (
  SELECT q.id, 1 AS is_in_line FROM (SELECT r.id FROM runs r WHERE r.job_id = :job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place IS NOT NULL AND r.parent_id IS NULL ORDER BY r.place, r.id LIMIT :in_line) q
  UNION ALL
  SELECT o.id, 0 AS is_in_line FROM (
    SELECT w.id FROM (SELECT id, shard, parent_id, created_at FROM runs
                      WHERE job_id = :job_id ORDER BY id DESC LIMIT :look) w
    WHERE w.shard = -1 AND w.parent_id IS NULL AND w.created_at <= :until ORDER BY w.id DESC LIMIT :rows) o
) d JOIN runs r ON r.id = d.id JOIN jobs j ON j.id = r.job_id LEFT JOIN nodes n ON n.id = r.session_id;

-- people/ledger_reads.py FIRED
SELECT
    r.id, r.job_id, r.version, r.fire_key, r.shard, r.parent_id, r.open_children, r.due_at, r.not_before, r.lane,
    r.class AS paced, r.priority, r.serial, r.place, r.parked, r.follow, r.state, r.kind, r.ver, r.attempt, r.failures,
    r.deaths, r.created_at, r.cancel_at, r.session_id, r.fence, r.leased_at, r.started_at, r.deadline_at, r.ended_at,
    r.triggered_by, r.reason, r.params, r.result, r.error, r.error_type, r.cancelled_by, r.cancel_reason, r.assigned_to,
    r.assigned_until, r.assigned_before, j.namespace, j.name AS job, n.name AS node FROM runs r JOIN jobs j ON j.id = r.job_id LEFT JOIN nodes n ON n.id = r.session_id WHERE r.job_id = :job_id AND r.fire_key >= :low AND r.fire_key < :high AND r.shard = -1 ORDER BY r.fire_key DESC LIMIT :rows;

-- people/ledger_reads.py SKIPPED
SELECT from_at, to_at, count AS instants, reason, why, cause, version, decided_at FROM skips WHERE job_id = :job_id AND to_at >= :from_at AND from_at < :to_at ORDER BY to_at DESC LIMIT :rows;

-- people/ledger_reads.py BY_KEY
SELECT
    r.id, r.job_id, r.version, r.fire_key, r.shard, r.parent_id, r.open_children, r.due_at, r.not_before, r.lane,
    r.class AS paced, r.priority, r.serial, r.place, r.parked, r.follow, r.state, r.kind, r.ver, r.attempt, r.failures,
    r.deaths, r.created_at, r.cancel_at, r.session_id, r.fence, r.leased_at, r.started_at, r.deadline_at, r.ended_at,
    r.triggered_by, r.reason, r.params, r.result, r.error, r.error_type, r.cancelled_by, r.cancel_reason, r.assigned_to,
    r.assigned_until, r.assigned_before, j.namespace, j.name AS job, n.name AS node FROM runs r JOIN jobs j ON j.id = r.job_id LEFT JOIN nodes n ON n.id = r.session_id WHERE r.job_id = :job_id AND r.fire_key = :fire_key AND r.shard = -1;

-- people/ledger_reads.py SKIP_OVER
SELECT from_at, to_at, count AS instants, reason, why, cause, version, decided_at FROM skips WHERE job_id = :job_id AND to_at >= :at AND from_at <= :at ORDER BY to_at LIMIT 1;

-- people/ledger_reads.py IN_FORCE
SELECT version, hash, definition, created_at, created_by, reason FROM job_versions WHERE job_id = :job_id AND created_at <= :at ORDER BY version DESC LIMIT 1;

-- people/ledger_reads.py FIRST
SELECT version, hash, definition, created_at, created_by, reason FROM job_versions WHERE job_id = :job_id ORDER BY version LIMIT 1;

-- people/ledger_reads.py LINE
SELECT
    r.id, r.job_id, r.version, r.fire_key, r.shard, r.parent_id, r.open_children, r.due_at, r.not_before, r.lane,
    r.class AS paced, r.priority, r.serial, r.place, r.parked, r.follow, r.state, r.kind, r.ver, r.attempt, r.failures,
    r.deaths, r.created_at, r.cancel_at, r.session_id, r.fence, r.leased_at, r.started_at, r.deadline_at, r.ended_at,
    r.triggered_by, r.reason, r.params, r.result, r.error, r.error_type, r.cancelled_by, r.cancel_reason, r.assigned_to,
    r.assigned_until, r.assigned_before, j.namespace, j.name AS job, n.name AS node FROM runs r JOIN jobs j ON j.id = r.job_id LEFT JOIN nodes n ON n.id = r.session_id WHERE r.job_id = :job_id AND r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND r.place IS NOT NULL AND r.parent_id IS NULL ORDER BY r.place, r.id LIMIT 1000;

-- people/limit_use.py MOST
SELECT limits.name, limits.max FROM (SELECT json_extract(value, '$[0]') AS name FROM json_each(:d)) AS d JOIN limits ON limits.name = d.name;

-- people/limit_use.py HOLDERS
SELECT r.id, r.lane, r.leased_at, j.namespace, j.name, n.name AS worker
FROM runs r JOIN jobs j ON j.id = r.job_id LEFT JOIN nodes n ON n.id = r.session_id
WHERE r.state = 'RUNNING' AND r.session_id > '' AND r.lease_id IS NOT NULL AND r.lane IN (SELECT d.lane FROM (SELECT json_extract(value, '$[0]') AS lane FROM json_each(:d)) AS d)
ORDER BY r.leased_at, r.id LIMIT :rows;

-- people/limit_use.py ASSIGNED
SELECT r.id, r.not_before FROM runs r
WHERE r.assigned_to > '' AND r.state = 'PENDING' AND r.parked = 2 AND r.lane IN (SELECT d.lane FROM (SELECT json_extract(value, '$[0]') AS lane FROM json_each(:d)) AS d)
      AND r.not_before <= :now
ORDER BY r.not_before, r.id LIMIT :rows;

-- people/limit_use.py FIRSTS
SELECT r.lane, r.class, r.priority, r.id, r.not_before FROM runs r WHERE r.id IN (
  SELECT (SELECT e.id FROM runs e
          WHERE e.lane = d.lane AND e.class = d.class AND e.priority = d.priority AND e.state = 'PENDING'
                AND e.parked = 0
          ORDER BY e.not_before, e.id LIMIT 1)
  FROM (SELECT json_extract(value, '$[0]') AS lane, json_extract(value, '$[1]') AS class, json_extract(value, '$[2]') AS priority FROM json_each(:d)) AS d)
  AND r.not_before <= :now;

-- people/limit_use.py WAITING
SELECT count(*) FROM (
  SELECT r.id FROM runs r
  WHERE r.lane = :lane AND r.class = :class AND r.priority = :priority AND r.state = 'PENDING'
        AND r.parked = 0 AND r.not_before <= :now
  LIMIT :rows
) q;

-- people/limit_use.py RUN_OF
SELECT j.namespace, j.name FROM runs r JOIN jobs j ON j.id = r.job_id WHERE r.id = :id;

-- people/limit_use.py USERS
SELECT j.namespace, j.name, v.lane_id, v.merge_lane_id
FROM jobs j JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
WHERE j.deleted_at = 0 AND (v.lane_id IN (SELECT d.lane FROM (SELECT json_extract(value, '$[0]') AS lane FROM json_each(:d)) AS d) OR v.merge_lane_id IN (SELECT d.lane FROM (SELECT json_extract(value, '$[0]') AS lane FROM json_each(:d)) AS d))
ORDER BY j.namespace, j.name LIMIT :rows;

-- people/named_limits.py LIST_LIMITS
SELECT name, namespace, max, used, rate, rate_per_us, pace_us, burst, spent_until, foliot_now() AS seen_at FROM limits WHERE name > :after AND ((name > 'grp:' AND name < 'grp;') OR (name > 'ns:' AND name < 'ns;') OR (name > 'res:' AND name < 'res;')) ORDER BY name LIMIT :rows;

-- people/named_limits.py _LIST_IN
SELECT name, namespace, max, used, rate, rate_per_us, pace_us, burst, spent_until, foliot_now() AS seen_at FROM limits WHERE name > :after AND ((name > 'grp:' AND name < 'grp;') OR (name > 'ns:' AND name < 'ns;') OR (name > 'res:' AND name < 'res;')) AND (namespace IS NULL OR namespace = :namespace) ORDER BY name LIMIT :rows;

-- people/named_limits.py _NAMESAKES
SELECT count(*) FROM limits WHERE name > 'res:' AND name < 'res;' AND namespace IS NOT NULL AND name LIKE :pattern ESCAPE '!';

-- people/named_limits.py _MAKE_SCOPE
INSERT INTO limits (name, max, used, ver, namespace)
SELECT d.name, d.max, 0, 1, d.namespace FROM (SELECT json_extract(value, '$[0]') AS name, json_extract(value, '$[1]') AS max, json_extract(value, '$[2]') AS namespace FROM json_each(:d)) AS d WHERE true ON CONFLICT DO NOTHING;

-- people/named_limits.py _SET_SCOPE
UPDATE limits SET max = :max, ver = ver + 1 WHERE name = :name;

-- people/named_limits.py _FIND
SELECT name, namespace, max, used, rate, rate_per_us, pace_us, burst, spent_until, foliot_now() AS seen_at FROM limits WHERE name = :name;

-- people/named_limits.py _REMOVE
DELETE FROM limits WHERE name = :name;

-- people/ranking.py LATEST
SELECT q.job_id, q.state, q.ended_at - q.started_at AS took FROM (
  SELECT job_id, state, started_at, ended_at, follow FROM runs ORDER BY id DESC LIMIT 10000
) q
WHERE q.state IN ('SUCCEEDED', 'FAILED') AND (q.follow & 128) <> 128;

-- people/replies.py _CLAIM
INSERT INTO replies (hash, request_hash, claim, made_at) VALUES (:hash, :request_hash, :claim, foliot_now()) ON CONFLICT DO NOTHING;

-- people/replies.py _FIND
SELECT request_hash, claim, status, headers, body, made_at FROM replies WHERE hash = :hash;

-- people/replies.py _TAKE_OVER
UPDATE replies SET request_hash = :request_hash, claim = :claim, made_at = foliot_now(), status = NULL, headers = NULL, body = NULL WHERE hash = :hash AND claim = :seen;

-- people/replies.py _KEEP
UPDATE replies SET status = :status, headers = :headers, body = :body WHERE hash = :hash AND claim = :claim AND status IS NULL;

-- people/replies.py _RELEASE
DELETE FROM replies WHERE hash = :hash AND claim = :claim AND status IS NULL;

-- people/replies.py _OLD
SELECT hash FROM replies WHERE made_at < :before ORDER BY made_at LIMIT :rows;

-- people/replies.py _FORGET
DELETE FROM replies WHERE hash IN (SELECT d.hash FROM (SELECT json_extract(value, '$[0]') AS hash FROM json_each(:d)) AS d) AND made_at < :before;

-- people/run_reads.py WALK
SELECT r.id, r.job_id, r.state, r.kind, r.created_at, r.shard, r.parent_id, r.session_id, r.attempt, r.place, r.cancel_at, r.lane, r.not_before, r.serial, r.follow, r.ended_at FROM runs r WHERE r.id < :before ORDER BY r.id DESC LIMIT :rows;

-- people/run_reads.py WALK_JOB
SELECT r.id, r.job_id, r.state, r.kind, r.created_at, r.shard, r.parent_id, r.session_id, r.attempt, r.place, r.cancel_at, r.lane, r.not_before, r.serial, r.follow, r.ended_at FROM runs r WHERE r.job_id = :job_id AND r.id < :before ORDER BY r.id DESC LIMIT :rows;

-- people/run_reads.py WALK_LIVE
SELECT r.id, r.job_id, r.state, r.kind, r.created_at, r.shard, r.parent_id, r.session_id, r.attempt, r.place, r.cancel_at, r.lane, r.not_before, r.serial, r.follow, r.ended_at FROM runs r WHERE r.state IN ('PENDING', 'RUNNING') AND r.shard = -1 AND +r.id < :before ORDER BY +r.id DESC LIMIT :rows;

-- people/run_reads.py FETCH
SELECT
    r.id, r.job_id, r.version, r.fire_key, r.shard, r.parent_id, r.open_children, r.due_at, r.not_before, r.lane,
    r.class AS paced, r.priority, r.serial, r.place, r.parked, r.follow, r.state, r.kind, r.ver, r.attempt, r.failures,
    r.deaths, r.created_at, r.cancel_at, r.session_id, r.fence, r.leased_at, r.started_at, r.deadline_at, r.ended_at,
    r.triggered_by, r.reason, r.params, r.result, r.error, r.error_type, r.cancelled_by, r.cancel_reason, r.assigned_to,
    r.assigned_until, r.assigned_before, j.namespace, j.name AS job, n.name AS node FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d JOIN runs r ON r.id = d.id JOIN jobs j ON j.id = r.job_id LEFT JOIN nodes n ON n.id = r.session_id;

-- people/run_reads.py ONE
SELECT
    r.id, r.job_id, r.version, r.fire_key, r.shard, r.parent_id, r.open_children, r.due_at, r.not_before, r.lane,
    r.class AS paced, r.priority, r.serial, r.place, r.parked, r.follow, r.state, r.kind, r.ver, r.attempt, r.failures,
    r.deaths, r.created_at, r.cancel_at, r.session_id, r.fence, r.leased_at, r.started_at, r.deadline_at, r.ended_at,
    r.triggered_by, r.reason, r.params, r.result, r.error, r.error_type, r.cancelled_by, r.cancel_reason, r.assigned_to,
    r.assigned_until, r.assigned_before, j.namespace, j.name AS job, n.name AS node, n.progress, n.last_beat_at, c.progress AS called, c.told_at, c.ended_at AS by_callback_at FROM runs r JOIN jobs j ON j.id = r.job_id LEFT JOIN nodes n ON n.id = r.session_id LEFT JOIN callbacks c ON c.run_id = r.id AND c.lease_id = coalesce(r.lease_id, r.last_lease_id) WHERE r.id = :id;

-- people/run_reads.py SHARDS
SELECT
    r.id, r.job_id, r.version, r.fire_key, r.shard, r.parent_id, r.open_children, r.due_at, r.not_before, r.lane,
    r.class AS paced, r.priority, r.serial, r.place, r.parked, r.follow, r.state, r.kind, r.ver, r.attempt, r.failures,
    r.deaths, r.created_at, r.cancel_at, r.session_id, r.fence, r.leased_at, r.started_at, r.deadline_at, r.ended_at,
    r.triggered_by, r.reason, r.params, r.result, r.error, r.error_type, r.cancelled_by, r.cancel_reason, r.assigned_to,
    r.assigned_until, r.assigned_before, j.namespace, j.name AS job, n.name AS node FROM runs r JOIN jobs j ON j.id = r.job_id LEFT JOIN nodes n ON n.id = r.session_id WHERE r.parent_id = :id ORDER BY r.shard, r.id LIMIT :rows;

-- people/run_reads.py JOBS
SELECT j.id, j.namespace, v.definition FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d JOIN jobs j ON j.id = d.id JOIN job_versions v ON v.job_id = j.id AND v.version = j.version;

-- people/run_reads.py NODES
SELECT n.id, n.name FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d JOIN nodes n ON n.id = d.id;

-- people/run_reads.py AT_OR_ABOVE
SELECT id, created_at FROM runs WHERE id >= :id ORDER BY id LIMIT 1;

-- people/run_reads.py BOUNDS
SELECT coalesce(min(id), 0) AS low, coalesce(max(id), 0) AS high FROM runs;

-- people/run_reads.py ATTEMPTS
SELECT a.attempt, a.cause, n.name AS node, a.session_id, a.fence, a.leased_at, a.started_at, a.ended_at, a.error, a.error_type FROM attempts a LEFT JOIN nodes n ON n.id = a.session_id WHERE a.run_id = :id ORDER BY a.attempt;

-- people/run_reads.py FIRST_STARTS
SELECT a.run_id, min(a.started_at) AS at FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d JOIN attempts a ON a.run_id = d.id GROUP BY a.run_id;

-- people/run_reads.py NEWER
SELECT
    r.id, r.job_id, r.version, r.fire_key, r.shard, r.parent_id, r.open_children, r.due_at, r.not_before, r.lane,
    r.class AS paced, r.priority, r.serial, r.place, r.parked, r.follow, r.state, r.kind, r.ver, r.attempt, r.failures,
    r.deaths, r.created_at, r.cancel_at, r.session_id, r.fence, r.leased_at, r.started_at, r.deadline_at, r.ended_at,
    r.triggered_by, r.reason, r.params, r.result, r.error, r.error_type, r.cancelled_by, r.cancel_reason, r.assigned_to,
    r.assigned_until, r.assigned_before, j.namespace, j.name AS job, n.name AS node FROM runs r JOIN jobs j ON j.id = r.job_id LEFT JOIN nodes n ON n.id = r.session_id WHERE r.id > :after ORDER BY r.id LIMIT :rows;

-- people/run_reads.py LIVE
SELECT
    r.id, r.job_id, r.version, r.fire_key, r.shard, r.parent_id, r.open_children, r.due_at, r.not_before, r.lane,
    r.class AS paced, r.priority, r.serial, r.place, r.parked, r.follow, r.state, r.kind, r.ver, r.attempt, r.failures,
    r.deaths, r.created_at, r.cancel_at, r.session_id, r.fence, r.leased_at, r.started_at, r.deadline_at, r.ended_at,
    r.triggered_by, r.reason, r.params, r.result, r.error, r.error_type, r.cancelled_by, r.cancel_reason, r.assigned_to,
    r.assigned_until, r.assigned_before, j.namespace, j.name AS job, n.name AS node FROM (SELECT * FROM runs WHERE state = 'RUNNING'  LIMIT :rows) r JOIN jobs j ON j.id = r.job_id LEFT JOIN nodes n ON n.id = r.session_id;

-- people/run_reads.py NEWEST
SELECT coalesce(max(id), 0) FROM runs;

-- people/shard_logs.py BOUNDS
SELECT min(w.low) AS low, max(w.high) AS high
FROM (SELECT (SELECT l.written_at FROM run_logs l WHERE l.run_id = r.id ORDER BY l.written_at LIMIT 1) AS low,
             (SELECT l.written_at FROM run_logs l WHERE l.run_id = r.id ORDER BY l.written_at DESC LIMIT 1) AS high
      FROM runs r WHERE r.parent_id = :id) w;

-- people/shard_logs.py NEWEST
   SELECT w.run_id, w.shard, w.attempt, w.at_offset, w.size, w.written_at, w.is_growing,
          p.at_offset AS before_at, p.size AS before_size,
          (SELECT n.at_offset FROM run_logs n  WHERE n.run_id = w.run_id AND n.attempt = w.attempt
           ORDER BY n.at_offset DESC LIMIT 1) AS last_at
   FROM (SELECT
   r.id AS run_id, r.shard, l.attempt, l.at_offset, l.size, l.written_at,
   CASE WHEN r.state IN ('PENDING', 'RUNNING') AND l.attempt = r.attempt THEN 1 ELSE 0 END AS is_growing
FROM runs r JOIN run_logs l  ON l.run_id = r.id AND l.written_at >= :from_at AND l.written_at <= :until AND l.attempt >= :first AND l.attempt <= :last WHERE r.parent_id = :id
         ORDER BY l.written_at DESC, r.id, l.attempt, l.at_offset LIMIT :rows) w
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
FROM runs r JOIN run_logs l  ON l.run_id = r.id AND l.written_at >= :from_at AND l.written_at <= :until AND l.attempt >= :first AND l.attempt <= :last WHERE r.parent_id = :id
         ORDER BY l.written_at, r.id, l.attempt, l.at_offset LIMIT :rows) w
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
FROM run_logs l CROSS JOIN runs r ON r.id = l.run_id WHERE l.parent_id = :id AND l.written_at >= :from_at AND l.attempt >= :first AND l.attempt <= :last
         ORDER BY l.written_at, r.id, l.attempt, l.at_offset LIMIT :rows) w
   LEFT JOIN run_logs p ON p.run_id = w.run_id AND p.attempt = w.attempt
        AND p.at_offset = (SELECT q.at_offset FROM run_logs q
                           WHERE q.run_id = w.run_id AND q.attempt = w.attempt AND q.at_offset < w.at_offset
                           ORDER BY q.at_offset DESC LIMIT 1)
   ORDER BY w.written_at, w.run_id, w.attempt, w.at_offset;

-- people/shard_logs.py ENDS
SELECT l.run_id, l.attempt, l.at_offset, l.size, l.written_at
FROM runs r CROSS JOIN run_logs l  ON l.run_id = r.id
     AND l.attempt = (SELECT n.attempt FROM run_logs n  WHERE n.run_id = r.id
                      AND n.attempt >= :first AND n.attempt <= :last ORDER BY n.attempt DESC LIMIT 1)
     AND l.at_offset = (SELECT m.at_offset FROM run_logs m  WHERE m.run_id = r.id
                        AND m.attempt >= :first AND m.attempt <= :last
                        ORDER BY m.attempt DESC, m.at_offset DESC LIMIT 1)
WHERE r.parent_id = :id;

-- people/shard_logs.py BEHIND
   SELECT w.run_id, w.shard, w.attempt, w.at_offset, w.size, w.written_at, w.is_growing,
          p.at_offset AS before_at, p.size AS before_size,
          (SELECT n.at_offset FROM run_logs n  WHERE n.run_id = w.run_id AND n.attempt = w.attempt
           ORDER BY n.at_offset DESC LIMIT 1) AS last_at
   FROM (SELECT
   r.id AS run_id, r.shard, l.attempt, l.at_offset, l.size, l.written_at,
   CASE WHEN r.state IN ('PENDING', 'RUNNING') AND l.attempt = r.attempt THEN 1 ELSE 0 END AS is_growing
FROM (SELECT json_extract(value, '$[0]') AS run_id, json_extract(value, '$[1]') AS attempt, json_extract(value, '$[2]') AS at_offset FROM json_each(:d)) AS d JOIN runs r ON r.id = d.run_id JOIN run_logs l  ON l.run_id = d.run_id AND l.attempt = d.attempt AND l.at_offset >= d.at_offset
         ORDER BY r.id, l.attempt, l.at_offset LIMIT :rows) w
   LEFT JOIN run_logs p ON p.run_id = w.run_id AND p.attempt = w.attempt
        AND p.at_offset = (SELECT q.at_offset FROM run_logs q
                           WHERE q.run_id = w.run_id AND q.attempt = w.attempt AND q.at_offset < w.at_offset
                           ORDER BY q.at_offset DESC LIMIT 1)
   ORDER BY w.run_id, w.attempt, w.at_offset;

-- people/shard_logs.py TEXTS
SELECT l.run_id, l.attempt, l.at_offset, l.body
FROM (SELECT json_extract(value, '$[0]') AS run_id, json_extract(value, '$[1]') AS attempt, json_extract(value, '$[2]') AS at_offset FROM json_each(:d)) AS d JOIN run_logs l ON l.run_id = d.run_id AND l.attempt = d.attempt AND l.at_offset = d.at_offset;

-- people/skip_reads.py NEWEST
SELECT id, from_at, to_at, count AS instants, reason, why, cause, version, decided_at, (SELECT j.name FROM jobs j WHERE j.id = skips.job_id) AS name,
       (SELECT j.namespace FROM jobs j WHERE j.id = skips.job_id) AS namespace
FROM skips WHERE id < :before ORDER BY id DESC LIMIT :rows;

-- people/strips.py STRIPS
WITH RECURSIVE walk (job_id, id, step) AS (
  SELECT d.job_id, (
    SELECT q.id FROM runs q
    WHERE q.job_id = d.job_id AND q.shard = -1 AND q.parent_id IS NULL AND (q.follow & 128) <> 128
    ORDER BY q.id DESC LIMIT 1
  ), 1 FROM (SELECT json_extract(value, '$[0]') AS job_id FROM json_each(:d)) AS d
  UNION ALL
  SELECT w.job_id, (
    SELECT q.id FROM runs q
    WHERE q.job_id = w.job_id AND q.id < w.id AND q.shard = -1 AND q.parent_id IS NULL AND (q.follow & 128) <> 128
    ORDER BY q.id DESC LIMIT 1
  ), w.step + 1 FROM walk w WHERE w.step < :length AND w.id IS NOT NULL
)
SELECT r.id, r.job_id, r.state, r.kind, r.created_at, r.started_at, r.ended_at, r.attempt, r.cancel_at
FROM walk JOIN runs r ON r.id = walk.id;

-- people/tokens.py _BY_HASH
SELECT id, name, hash, scopes, namespace, group_name, created_at, created_by, expires_at, last_used_at, revoked_at, line, foliot_now() AS now FROM tokens WHERE hash = :hash;

-- people/tokens.py _ANY
SELECT 1 FROM tokens LIMIT 1;

-- people/tokens.py _BY_NAME
SELECT id, name, hash, scopes, namespace, group_name, created_at, created_by, expires_at, last_used_at, revoked_at, line FROM tokens WHERE name = :name AND revoked_at = 0 AND expires_at > foliot_now();

-- people/tokens.py _BY_ID
SELECT id, name, hash, scopes, namespace, group_name, created_at, created_by, expires_at, last_used_at, revoked_at, line FROM tokens WHERE id = :id;

-- people/tokens.py _OF_NAME
SELECT id, name, hash, scopes, namespace, group_name, created_at, created_by, expires_at, last_used_at, revoked_at, line FROM tokens WHERE name = :name AND expires_at > foliot_now() AND (revoked_at = 0 OR revoked_at > foliot_now()) ORDER BY created_at DESC, id;

-- people/tokens.py _ALL
SELECT id, name, hash, scopes, namespace, group_name, created_at, created_by, expires_at, last_used_at, revoked_at, line FROM tokens ORDER BY created_at DESC, id LIMIT 1000;

-- people/tokens.py _ADD
INSERT INTO tokens (id, name, hash, scopes, namespace, group_name, created_at, created_by, expires_at, revoked_at, line) VALUES (:id, :name, :hash, :scopes, :namespace, :group_name, :now, :created_by, :expires_at, 0, :line);

-- people/tokens.py _END
UPDATE tokens SET revoked_at = :at WHERE id = :id AND (revoked_at = 0 OR revoked_at > :at) AND expires_at > :at;

-- people/tokens.py _ENDS_THEN
SELECT 1 FROM tokens mine JOIN tokens other ON other.name = mine.name AND other.revoked_at = :at WHERE mine.id = :id AND other.id <> :id;

-- people/tokens.py _STEP_ASIDE
UPDATE tokens SET revoked_at = expires_at WHERE name = :name AND revoked_at = 0 AND expires_at <= foliot_now();

-- people/tokens.py _USED
UPDATE tokens SET last_used_at = foliot_now() WHERE id = :id;

-- people/tokens.py _ADD_CODE
INSERT INTO login_codes (hash, created_by, expires_at) VALUES (:hash, :created_by, :expires_at);

-- people/tokens.py _FORGET_CODES
DELETE FROM login_codes WHERE expires_at <= foliot_now();

-- people/tokens.py _USE_CODE
DELETE FROM login_codes WHERE hash = :hash AND expires_at > foliot_now();

-- people/views.py OF_OWNERS
SELECT v.owner, v.name, v.path, v.saved_at, v.saved_by FROM (SELECT json_extract(value, '$[0]') AS owner FROM json_each(:d)) AS d JOIN views v ON v.owner = d.owner ORDER BY v.name, v.owner;

-- people/views.py ONE
SELECT v.owner, v.name, v.path, v.saved_at, v.saved_by FROM views v WHERE v.owner = :owner AND v.name = :name;

-- people/views.py COUNT
SELECT count(*) AS found FROM views WHERE owner = :owner AND name <> :name;

-- people/views.py CHANGE
UPDATE views SET path = :path, saved_at = foliot_now(), saved_by = :by WHERE owner = :owner AND name = :name;

-- people/views.py INSERT
INSERT INTO views (owner, name, path, saved_at, saved_by) VALUES (:owner, :name, :path, foliot_now(), :by) ON CONFLICT DO NOTHING;

-- people/views.py REMOVE
DELETE FROM views WHERE owner = :owner AND name = :name;

-- statistics/anomalies.py PROGRESS
SELECT ver, at, after_id FROM history_progress WHERE subject = 'anomalies';

-- statistics/anomalies.py MOVE
UPDATE history_progress SET ver = ver + 1, at = :hour_at, after_id = :after_id
WHERE subject = 'anomalies' AND ver = :seen AND (EXISTS (SELECT 1 FROM leases l WHERE l.name = 'leader' AND l.term = :term) OR :term IS NULL);

-- statistics/anomalies.py PAGE
   SELECT s.resolution, s.job_id, s.start_at, s.runs, s.succeeded, s.failed, s.took, s.took_max_us, s.delays,
          s.delay_max_us, s.took_sketch, s.delay_sketch, s.kinds
FROM (SELECT json_extract(value, '$[0]') AS resolution, json_extract(value, '$[1]') AS start_at FROM json_each(:d)) AS d CROSS JOIN stats s
   ON s.resolution = d.resolution AND s.start_at = d.start_at AND s.job_id > :after AND s.job_id <= (SELECT max(p.id) FROM (SELECT n.id FROM jobs n WHERE n.id > :after AND n.deleted_at = 0 ORDER BY n.id LIMIT :rows) p)
   WHERE s.is_part = 0
   UNION ALL
   SELECT -1, j.id, v.created_at, CASE WHEN c.state = 'active' THEN 1 ELSE 0 END,
          CASE WHEN c.next_due_at IS NOT NULL OR j.from_end <> 0 THEN 1 ELSE 0 END,
          CASE WHEN EXISTS (
            SELECT 1 FROM skips k WHERE k.job_id = j.id AND k.to_at >= :excused_since
              AND k.reason IN ('calendar', 'blackout', 'paused', 'edited')
          ) THEN 1 ELSE 0 END,
          0, 0, 0, 0, j.namespace, j.name, NULL
   FROM jobs j JOIN cursors c ON c.job_id = j.id JOIN job_versions v ON v.job_id = j.id AND v.version = j.version
WHERE j.id > :after AND j.id <= (SELECT max(p.id) FROM (SELECT n.id FROM jobs n WHERE n.id > :after AND n.deleted_at = 0 ORDER BY n.id LIMIT :rows) p) AND j.deleted_at = 0
   UNION ALL
   SELECT -2, a.job_id, a.began_at, a.id, a.quiet, 0, a.seen_at, 0, 0, 0, a.kind, a.facts, NULL
   FROM anomalies a WHERE a.is_open = 1 AND a.job_id > :after AND a.job_id <= (SELECT max(p.id) FROM (SELECT n.id FROM jobs n WHERE n.id > :after AND n.deleted_at = 0 ORDER BY n.id LIMIT :rows) p);

-- statistics/anomalies.py KEEP
   INSERT INTO anomalies (job_id, kind, is_open, began_at, seen_at, quiet, ended_at, facts)
   SELECT d.job_id, d.kind, d.is_open, d.began_at, d.seen_at, d.quiet, d.ended_at, d.facts FROM (SELECT json_extract(value, '$[0]') AS job_id, json_extract(value, '$[1]') AS kind, json_extract(value, '$[2]') AS is_open, json_extract(value, '$[3]') AS began_at, json_extract(value, '$[4]') AS seen_at, json_extract(value, '$[5]') AS quiet, json_extract(value, '$[6]') AS ended_at, json_extract(value, '$[7]') AS facts FROM json_each(:d)) AS d WHERE true
ON CONFLICT (job_id, kind, began_at) DO UPDATE SET is_open = excluded.is_open, seen_at = excluded.seen_at, quiet = excluded.quiet, ended_at = excluded.ended_at, facts = excluded.facts;

-- statistics/anomalies.py OLDEST
SELECT id FROM anomalies WHERE seen_at < :before ORDER BY seen_at LIMIT :rows;

-- statistics/anomalies.py DELETE
DELETE FROM anomalies WHERE id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d);

-- statistics/anomalies.py LISTED
   SELECT a.id, a.job_id, a.kind, a.began_at, a.seen_at, a.quiet, a.ended_at, a.facts, j.namespace, j.name FROM anomalies a JOIN jobs j ON j.id = a.job_id
   WHERE a.id < :before_id AND a.seen_at >= :since AND a.began_at < :until
ORDER BY a.id DESC LIMIT :rows;

-- statistics/anomalies.py LISTED_OF_JOB
   SELECT a.id, a.job_id, a.kind, a.began_at, a.seen_at, a.quiet, a.ended_at, a.facts, j.namespace, j.name FROM anomalies a JOIN jobs j ON j.id = a.job_id
   WHERE a.id < :before_id AND a.seen_at >= :since AND a.began_at < :until
AND a.job_id = :job_id ORDER BY a.id DESC LIMIT :rows;

-- statistics/figure_rows.py FIRST
INSERT INTO stats_progress (id, ver, counted_id)
SELECT d.id, 0, 0 FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d WHERE true ON CONFLICT DO NOTHING;

-- statistics/figure_rows.py MOVE
UPDATE stats_progress SET ver = ver + 1, counted_id = :counted_id WHERE id = 1 AND ver = :seen;

-- statistics/figure_rows.py THERE
SELECT s.start_at, s.resolution, s.job_id, s.is_part, s.node, s.runs, s.succeeded, s.failed, s.retries, s.last_at, s.took, s.took_us, s.took_max_us, s.took_sketch, s.delays, s.delay_us, s.delay_max_us, s.delay_sketch, s.kinds FROM (SELECT json_extract(value, '$[0]') AS start_at, json_extract(value, '$[1]') AS resolution, json_extract(value, '$[2]') AS job_id, json_extract(value, '$[3]') AS is_part, json_extract(value, '$[4]') AS node FROM json_each(:d)) AS d CROSS JOIN stats s ON s.resolution = d.resolution AND s.start_at = d.start_at AND s.job_id = d.job_id AND s.is_part = d.is_part AND s.node = d.node;

-- statistics/figure_rows.py CHANGE
UPDATE stats SET runs = d.runs, succeeded = d.succeeded, failed = d.failed, retries = d.retries, last_at = d.last_at, took = d.took, took_us = d.took_us, took_max_us = d.took_max_us, took_sketch = d.took_sketch, delays = d.delays, delay_us = d.delay_us, delay_max_us = d.delay_max_us, delay_sketch = d.delay_sketch, kinds = d.kinds FROM (SELECT json_extract(value, '$[0]') AS start_at, json_extract(value, '$[1]') AS resolution, json_extract(value, '$[2]') AS job_id, json_extract(value, '$[3]') AS is_part, json_extract(value, '$[4]') AS node, json_extract(value, '$[5]') AS runs, json_extract(value, '$[6]') AS succeeded, json_extract(value, '$[7]') AS failed, json_extract(value, '$[8]') AS retries, json_extract(value, '$[9]') AS last_at, json_extract(value, '$[10]') AS took, json_extract(value, '$[11]') AS took_us, json_extract(value, '$[12]') AS took_max_us, json_extract(value, '$[13]') AS took_sketch, json_extract(value, '$[14]') AS delays, json_extract(value, '$[15]') AS delay_us, json_extract(value, '$[16]') AS delay_max_us, json_extract(value, '$[17]') AS delay_sketch, json_extract(value, '$[18]') AS kinds FROM json_each(:d)) AS d WHERE stats.resolution = d.resolution AND stats.start_at = d.start_at AND stats.job_id = d.job_id AND stats.is_part = d.is_part AND stats.node = d.node;

-- statistics/figure_rows.py INSERT
INSERT INTO stats (start_at, resolution, job_id, is_part, node, runs, succeeded, failed, retries, last_at, took, took_us, took_max_us, took_sketch, delays, delay_us, delay_max_us, delay_sketch, kinds) SELECT d.start_at, d.resolution, d.job_id, d.is_part, d.node, d.runs, d.succeeded, d.failed, d.retries, d.last_at, d.took, d.took_us, d.took_max_us, d.took_sketch, d.delays, d.delay_us, d.delay_max_us, d.delay_sketch, d.kinds FROM (SELECT json_extract(value, '$[0]') AS start_at, json_extract(value, '$[1]') AS resolution, json_extract(value, '$[2]') AS job_id, json_extract(value, '$[3]') AS is_part, json_extract(value, '$[4]') AS node, json_extract(value, '$[5]') AS runs, json_extract(value, '$[6]') AS succeeded, json_extract(value, '$[7]') AS failed, json_extract(value, '$[8]') AS retries, json_extract(value, '$[9]') AS last_at, json_extract(value, '$[10]') AS took, json_extract(value, '$[11]') AS took_us, json_extract(value, '$[12]') AS took_max_us, json_extract(value, '$[13]') AS took_sketch, json_extract(value, '$[14]') AS delays, json_extract(value, '$[15]') AS delay_us, json_extract(value, '$[16]') AS delay_max_us, json_extract(value, '$[17]') AS delay_sketch, json_extract(value, '$[18]') AS kinds FROM json_each(:d)) AS d;

-- statistics/figure_rows.py DELETE_LEFT
DELETE FROM stats_left WHERE first_id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d);

-- statistics/figure_rows.py INSERT_LEFT
INSERT INTO stats_left (first_id, run_ids, left_at, look_at)
SELECT d.first_id, d.run_ids, d.left_at, d.look_at FROM (SELECT json_extract(value, '$[0]') AS first_id, json_extract(value, '$[1]') AS run_ids, json_extract(value, '$[2]') AS left_at, json_extract(value, '$[3]') AS look_at FROM json_each(:d)) AS d;

-- statistics/figure_rows.py OLDEST
SELECT start_at, job_id FROM stats WHERE resolution = :resolution AND start_at < :before
ORDER BY resolution, start_at, job_id LIMIT 1 OFFSET :rows;

-- statistics/figure_rows.py DELETE
DELETE FROM stats WHERE resolution = :resolution AND start_at <= :start_at
  AND (start_at < :start_at OR job_id <= :job_id);

-- statistics/figure_rows.py DELETE_REST
DELETE FROM stats WHERE resolution = :resolution AND start_at < :before;

-- statistics/node_loads.py INSERT
INSERT INTO node_loads (resolution, start_at, node, kind, samples, online, warning, offline, scheduled, skipped, leased, cpu_count, memory_count, disk_count, score_count, threads_count, running_count, slots_count, cpu_sum, memory_sum, disk_sum, score_sum, threads_sum, running_sum, slots_sum, cpu_max, memory_max, disk_max, score_max, threads_max, running_max, slots_max)
SELECT d.resolution, d.start_at, d.node, d.kind, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 FROM (SELECT json_extract(value, '$[0]') AS resolution, json_extract(value, '$[1]') AS start_at, json_extract(value, '$[2]') AS node, json_extract(value, '$[3]') AS kind FROM json_each(:d)) AS d
WHERE true ON CONFLICT DO NOTHING;

-- statistics/node_loads.py ADD
UPDATE node_loads SET samples = node_loads.samples + d.samples, online = node_loads.online + d.online, warning = node_loads.warning + d.warning, offline = node_loads.offline + d.offline, scheduled = node_loads.scheduled + d.scheduled, skipped = node_loads.skipped + d.skipped, leased = node_loads.leased + d.leased, cpu_count = node_loads.cpu_count + d.cpu_count, memory_count = node_loads.memory_count + d.memory_count, disk_count = node_loads.disk_count + d.disk_count, score_count = node_loads.score_count + d.score_count, threads_count = node_loads.threads_count + d.threads_count, running_count = node_loads.running_count + d.running_count, slots_count = node_loads.slots_count + d.slots_count, cpu_sum = node_loads.cpu_sum + d.cpu_sum, memory_sum = node_loads.memory_sum + d.memory_sum, disk_sum = node_loads.disk_sum + d.disk_sum, score_sum = node_loads.score_sum + d.score_sum, threads_sum = node_loads.threads_sum + d.threads_sum, running_sum = node_loads.running_sum + d.running_sum, slots_sum = node_loads.slots_sum + d.slots_sum, cpu_max = CASE WHEN d.cpu_max > node_loads.cpu_max THEN d.cpu_max ELSE node_loads.cpu_max END, memory_max = CASE WHEN d.memory_max > node_loads.memory_max THEN d.memory_max ELSE node_loads.memory_max END, disk_max = CASE WHEN d.disk_max > node_loads.disk_max THEN d.disk_max ELSE node_loads.disk_max END, score_max = CASE WHEN d.score_max > node_loads.score_max THEN d.score_max ELSE node_loads.score_max END, threads_max = CASE WHEN d.threads_max > node_loads.threads_max THEN d.threads_max ELSE node_loads.threads_max END, running_max = CASE WHEN d.running_max > node_loads.running_max THEN d.running_max ELSE node_loads.running_max END, slots_max = CASE WHEN d.slots_max > node_loads.slots_max THEN d.slots_max ELSE node_loads.slots_max END FROM (SELECT json_extract(value, '$[0]') AS resolution, json_extract(value, '$[1]') AS start_at, json_extract(value, '$[2]') AS node, json_extract(value, '$[3]') AS kind, json_extract(value, '$[4]') AS samples, json_extract(value, '$[5]') AS online, json_extract(value, '$[6]') AS warning, json_extract(value, '$[7]') AS offline, json_extract(value, '$[8]') AS scheduled, json_extract(value, '$[9]') AS skipped, json_extract(value, '$[10]') AS leased, json_extract(value, '$[11]') AS cpu_count, json_extract(value, '$[12]') AS memory_count, json_extract(value, '$[13]') AS disk_count, json_extract(value, '$[14]') AS score_count, json_extract(value, '$[15]') AS threads_count, json_extract(value, '$[16]') AS running_count, json_extract(value, '$[17]') AS slots_count, json_extract(value, '$[18]') AS cpu_sum, json_extract(value, '$[19]') AS memory_sum, json_extract(value, '$[20]') AS disk_sum, json_extract(value, '$[21]') AS score_sum, json_extract(value, '$[22]') AS threads_sum, json_extract(value, '$[23]') AS running_sum, json_extract(value, '$[24]') AS slots_sum, json_extract(value, '$[25]') AS cpu_max, json_extract(value, '$[26]') AS memory_max, json_extract(value, '$[27]') AS disk_max, json_extract(value, '$[28]') AS score_max, json_extract(value, '$[29]') AS threads_max, json_extract(value, '$[30]') AS running_max, json_extract(value, '$[31]') AS slots_max FROM json_each(:d)) AS d WHERE node_loads.resolution = d.resolution AND node_loads.start_at = d.start_at AND node_loads.node = d.node;

-- statistics/node_loads.py FIRST
INSERT INTO history_progress (subject, ver, at, after_id, noted)
SELECT d.subject, 0, 0, 0, NULL FROM (SELECT json_extract(value, '$[0]') AS subject FROM json_each(:d)) AS d WHERE true ON CONFLICT DO NOTHING;

-- statistics/node_loads.py MOVE
UPDATE history_progress SET ver = ver + 1, at = :minute, noted = :noted
WHERE subject = 'load' AND at = :since;

-- statistics/node_loads.py PROGRESS
SELECT at, noted FROM history_progress WHERE subject = 'load';

-- statistics/node_loads.py OF_NODE
SELECT s.start_at, s.kind, s.samples, s.online, s.warning, s.offline, s.scheduled, s.skipped, s.leased, s.cpu_count, s.memory_count, s.disk_count, s.score_count, s.threads_count, s.running_count, s.slots_count, s.cpu_sum, s.memory_sum, s.disk_sum, s.score_sum, s.threads_sum, s.running_sum, s.slots_sum, s.cpu_max, s.memory_max, s.disk_max, s.score_max, s.threads_max, s.running_max, s.slots_max FROM (SELECT json_extract(value, '$[0]') AS start_at FROM json_each(:d)) AS d CROSS JOIN node_loads s
ON s.resolution = :resolution AND s.start_at = d.start_at AND s.node = :node;

-- statistics/node_loads.py OF_ALL
SELECT s.node, max(s.kind) AS kind, sum(s.samples) AS samples, sum(s.online) AS online, sum(s.warning) AS warning, sum(s.offline) AS offline, sum(s.scheduled) AS scheduled, sum(s.skipped) AS skipped, sum(s.leased) AS leased, sum(s.cpu_count) AS cpu_count, sum(s.memory_count) AS memory_count, sum(s.disk_count) AS disk_count, sum(s.score_count) AS score_count, sum(s.threads_count) AS threads_count, sum(s.running_count) AS running_count, sum(s.slots_count) AS slots_count, sum(s.cpu_sum) AS cpu_sum, sum(s.memory_sum) AS memory_sum, sum(s.disk_sum) AS disk_sum, sum(s.score_sum) AS score_sum, sum(s.threads_sum) AS threads_sum, sum(s.running_sum) AS running_sum, sum(s.slots_sum) AS slots_sum, max(s.cpu_max) AS cpu_max, max(s.memory_max) AS memory_max, max(s.disk_max) AS disk_max, max(s.score_max) AS score_max, max(s.threads_max) AS threads_max, max(s.running_max) AS running_max, max(s.slots_max) AS slots_max FROM node_loads s
WHERE s.resolution = :resolution AND s.start_at >= :from_at AND s.start_at < :to_at
GROUP BY s.node ORDER BY s.node LIMIT :rows;

-- statistics/node_loads.py OLDEST
SELECT start_at FROM node_loads WHERE resolution = :resolution AND start_at < :before
ORDER BY resolution, start_at LIMIT 1 OFFSET :rows;

-- statistics/node_loads.py DELETE
DELETE FROM node_loads WHERE resolution = :resolution AND start_at < :before;

-- statistics/ranges.py OF_JOB
SELECT s.start_at, s.resolution, s.job_id, s.is_part, s.node, s.runs, s.succeeded, s.failed, s.retries, s.last_at, s.took, s.took_us, s.took_max_us, s.took_sketch, s.delays, s.delay_us, s.delay_max_us, s.delay_sketch, s.kinds FROM (SELECT json_extract(value, '$[0]') AS start_at FROM json_each(:d)) AS d CROSS JOIN stats s
ON s.resolution = :resolution AND s.start_at = d.start_at AND s.job_id = :job_id LIMIT :rows;

-- statistics/ranges.py OF_NODE
SELECT s.start_at, s.resolution, s.job_id, s.is_part, s.node, s.runs, s.succeeded, s.failed, s.retries, s.last_at, s.took, s.took_us, s.took_max_us, s.took_sketch, s.delays, s.delay_us, s.delay_max_us, s.delay_sketch, s.kinds FROM (SELECT json_extract(value, '$[0]') AS start_at FROM json_each(:d)) AS d CROSS JOIN stats s
ON s.resolution = :resolution AND s.start_at = d.start_at AND s.job_id = 0 AND s.is_part = 0
   AND s.node = :node;

-- statistics/ranges.py PACES
SELECT s.job_id, s.node, s.start_at, s.succeeded, s.failed, s.took, s.took_us, s.delays, s.delay_us
FROM (SELECT json_extract(value, '$[0]') AS start_at, json_extract(value, '$[1]') AS job_id FROM json_each(:d)) AS d CROSS JOIN stats s
ON s.resolution = 1 AND s.start_at = d.start_at AND s.job_id = d.job_id
WHERE s.took > 0 AND s.node > '';

-- statistics/ranges.py SLOT_TIMES
SELECT s.job_id, sum(CASE WHEN s.is_part = 0 THEN s.runs ELSE 0 END) AS runs,
       sum(CASE WHEN s.node > '' THEN s.took_us ELSE 0 END) AS busy_us
FROM (SELECT json_extract(value, '$[0]') AS start_at, json_extract(value, '$[1]') AS job_id FROM json_each(:d)) AS d CROSS JOIN stats s
ON s.resolution = 2 AND s.start_at = d.start_at AND s.job_id = d.job_id
GROUP BY s.job_id;

-- statistics/report_facts.py JOBS.own
SELECT q.*, j.namespace, j.name FROM (
  SELECT f.job_id, f.runs_now, f.succeeded_now, f.failed_now, f.retries_now, f.took_now, f.took_us_now, f.took_max_us_now, f.delays_now, f.delay_us_now, f.delay_max_us_now, f.runs_before, f.succeeded_before, f.failed_before, f.retries_before, f.took_before, f.took_us_before, f.took_max_us_before, f.delays_before, f.delay_us_before, f.delay_max_us_before, sum(f.runs_now) OVER () AS all_runs_now, sum(f.succeeded_now) OVER () AS all_succeeded_now, sum(f.failed_now) OVER () AS all_failed_now, sum(f.retries_now) OVER () AS all_retries_now, sum(f.took_now) OVER () AS all_took_now, sum(f.took_us_now) OVER () AS all_took_us_now, max(f.took_max_us_now) OVER () AS all_took_max_us_now, sum(f.delays_now) OVER () AS all_delays_now, sum(f.delay_us_now) OVER () AS all_delay_us_now, max(f.delay_max_us_now) OVER () AS all_delay_max_us_now, sum(f.runs_before) OVER () AS all_runs_before, sum(f.succeeded_before) OVER () AS all_succeeded_before, sum(f.failed_before) OVER () AS all_failed_before, sum(f.retries_before) OVER () AS all_retries_before, sum(f.took_before) OVER () AS all_took_before, sum(f.took_us_before) OVER () AS all_took_us_before, max(f.took_max_us_before) OVER () AS all_took_max_us_before, sum(f.delays_before) OVER () AS all_delays_before, sum(f.delay_us_before) OVER () AS all_delay_us_before, max(f.delay_max_us_before) OVER () AS all_delay_max_us_before,
    sum(CASE WHEN f.runs_now > 0 THEN 1 ELSE 0 END) OVER () AS ran_now,
    sum(CASE WHEN f.runs_before > 0 THEN 1 ELSE 0 END) OVER () AS ran_before, row_number() OVER (ORDER BY f.failed_now DESC, f.job_id) AS by_failing, row_number() OVER (ORDER BY f.took_us_now / CASE WHEN f.took_now > 0 THEN f.took_now ELSE 1 END DESC, f.job_id) AS by_slow, row_number() OVER (ORDER BY f.delay_us_now / CASE WHEN f.delays_now > 0 THEN f.delays_now ELSE 1 END DESC, f.job_id) AS by_late, row_number() OVER (ORDER BY CASE WHEN f.runs_before > 0 THEN f.took_us_now - f.took_us_before ELSE 0 END DESC, f.job_id) AS by_grown
  FROM (
    SELECT s.job_id, sum(CASE WHEN d.period = 0 THEN s.runs ELSE 0 END) AS runs_now, sum(CASE WHEN d.period = 0 THEN s.succeeded ELSE 0 END) AS succeeded_now, sum(CASE WHEN d.period = 0 THEN s.failed ELSE 0 END) AS failed_now, sum(CASE WHEN d.period = 0 THEN s.retries ELSE 0 END) AS retries_now, sum(CASE WHEN d.period = 0 THEN s.took ELSE 0 END) AS took_now, sum(CASE WHEN d.period = 0 THEN s.took_us ELSE 0 END) AS took_us_now, max(CASE WHEN d.period = 0 THEN s.took_max_us ELSE 0 END) AS took_max_us_now, sum(CASE WHEN d.period = 0 THEN s.delays ELSE 0 END) AS delays_now, sum(CASE WHEN d.period = 0 THEN s.delay_us ELSE 0 END) AS delay_us_now, max(CASE WHEN d.period = 0 THEN s.delay_max_us ELSE 0 END) AS delay_max_us_now, sum(CASE WHEN d.period = 1 THEN s.runs ELSE 0 END) AS runs_before, sum(CASE WHEN d.period = 1 THEN s.succeeded ELSE 0 END) AS succeeded_before, sum(CASE WHEN d.period = 1 THEN s.failed ELSE 0 END) AS failed_before, sum(CASE WHEN d.period = 1 THEN s.retries ELSE 0 END) AS retries_before, sum(CASE WHEN d.period = 1 THEN s.took ELSE 0 END) AS took_before, sum(CASE WHEN d.period = 1 THEN s.took_us ELSE 0 END) AS took_us_before, max(CASE WHEN d.period = 1 THEN s.took_max_us ELSE 0 END) AS took_max_us_before, sum(CASE WHEN d.period = 1 THEN s.delays ELSE 0 END) AS delays_before, sum(CASE WHEN d.period = 1 THEN s.delay_us ELSE 0 END) AS delay_us_before, max(CASE WHEN d.period = 1 THEN s.delay_max_us ELSE 0 END) AS delay_max_us_before FROM (SELECT json_extract(value, '$[0]') AS period, json_extract(value, '$[1]') AS resolution, json_extract(value, '$[2]') AS start_at FROM json_each(:d)) AS d CROSS JOIN stats s
    ON s.resolution = d.resolution AND s.start_at = d.start_at AND s.job_id > 0
    WHERE s.is_part = 0 AND s.job_id IN (SELECT own.id FROM jobs own WHERE own.namespace = :namespace)
    GROUP BY s.job_id
  ) f
) q JOIN jobs j ON j.id = q.job_id
WHERE q.by_failing <= :top OR q.by_slow <= :top OR q.by_late <= :top OR q.by_grown <= :top;

-- statistics/report_facts.py JOBS.every
SELECT q.*, j.namespace, j.name FROM (
  SELECT f.job_id, f.runs_now, f.succeeded_now, f.failed_now, f.retries_now, f.took_now, f.took_us_now, f.took_max_us_now, f.delays_now, f.delay_us_now, f.delay_max_us_now, f.runs_before, f.succeeded_before, f.failed_before, f.retries_before, f.took_before, f.took_us_before, f.took_max_us_before, f.delays_before, f.delay_us_before, f.delay_max_us_before, sum(f.runs_now) OVER () AS all_runs_now, sum(f.succeeded_now) OVER () AS all_succeeded_now, sum(f.failed_now) OVER () AS all_failed_now, sum(f.retries_now) OVER () AS all_retries_now, sum(f.took_now) OVER () AS all_took_now, sum(f.took_us_now) OVER () AS all_took_us_now, max(f.took_max_us_now) OVER () AS all_took_max_us_now, sum(f.delays_now) OVER () AS all_delays_now, sum(f.delay_us_now) OVER () AS all_delay_us_now, max(f.delay_max_us_now) OVER () AS all_delay_max_us_now, sum(f.runs_before) OVER () AS all_runs_before, sum(f.succeeded_before) OVER () AS all_succeeded_before, sum(f.failed_before) OVER () AS all_failed_before, sum(f.retries_before) OVER () AS all_retries_before, sum(f.took_before) OVER () AS all_took_before, sum(f.took_us_before) OVER () AS all_took_us_before, max(f.took_max_us_before) OVER () AS all_took_max_us_before, sum(f.delays_before) OVER () AS all_delays_before, sum(f.delay_us_before) OVER () AS all_delay_us_before, max(f.delay_max_us_before) OVER () AS all_delay_max_us_before,
    sum(CASE WHEN f.runs_now > 0 THEN 1 ELSE 0 END) OVER () AS ran_now,
    sum(CASE WHEN f.runs_before > 0 THEN 1 ELSE 0 END) OVER () AS ran_before, row_number() OVER (ORDER BY f.failed_now DESC, f.job_id) AS by_failing, row_number() OVER (ORDER BY f.took_us_now / CASE WHEN f.took_now > 0 THEN f.took_now ELSE 1 END DESC, f.job_id) AS by_slow, row_number() OVER (ORDER BY f.delay_us_now / CASE WHEN f.delays_now > 0 THEN f.delays_now ELSE 1 END DESC, f.job_id) AS by_late, row_number() OVER (ORDER BY CASE WHEN f.runs_before > 0 THEN f.took_us_now - f.took_us_before ELSE 0 END DESC, f.job_id) AS by_grown
  FROM (
    SELECT s.job_id, sum(CASE WHEN d.period = 0 THEN s.runs ELSE 0 END) AS runs_now, sum(CASE WHEN d.period = 0 THEN s.succeeded ELSE 0 END) AS succeeded_now, sum(CASE WHEN d.period = 0 THEN s.failed ELSE 0 END) AS failed_now, sum(CASE WHEN d.period = 0 THEN s.retries ELSE 0 END) AS retries_now, sum(CASE WHEN d.period = 0 THEN s.took ELSE 0 END) AS took_now, sum(CASE WHEN d.period = 0 THEN s.took_us ELSE 0 END) AS took_us_now, max(CASE WHEN d.period = 0 THEN s.took_max_us ELSE 0 END) AS took_max_us_now, sum(CASE WHEN d.period = 0 THEN s.delays ELSE 0 END) AS delays_now, sum(CASE WHEN d.period = 0 THEN s.delay_us ELSE 0 END) AS delay_us_now, max(CASE WHEN d.period = 0 THEN s.delay_max_us ELSE 0 END) AS delay_max_us_now, sum(CASE WHEN d.period = 1 THEN s.runs ELSE 0 END) AS runs_before, sum(CASE WHEN d.period = 1 THEN s.succeeded ELSE 0 END) AS succeeded_before, sum(CASE WHEN d.period = 1 THEN s.failed ELSE 0 END) AS failed_before, sum(CASE WHEN d.period = 1 THEN s.retries ELSE 0 END) AS retries_before, sum(CASE WHEN d.period = 1 THEN s.took ELSE 0 END) AS took_before, sum(CASE WHEN d.period = 1 THEN s.took_us ELSE 0 END) AS took_us_before, max(CASE WHEN d.period = 1 THEN s.took_max_us ELSE 0 END) AS took_max_us_before, sum(CASE WHEN d.period = 1 THEN s.delays ELSE 0 END) AS delays_before, sum(CASE WHEN d.period = 1 THEN s.delay_us ELSE 0 END) AS delay_us_before, max(CASE WHEN d.period = 1 THEN s.delay_max_us ELSE 0 END) AS delay_max_us_before FROM (SELECT json_extract(value, '$[0]') AS period, json_extract(value, '$[1]') AS resolution, json_extract(value, '$[2]') AS start_at FROM json_each(:d)) AS d CROSS JOIN stats s
    ON s.resolution = d.resolution AND s.start_at = d.start_at AND s.job_id > 0
    WHERE s.is_part = 0
    GROUP BY s.job_id
  ) f
) q JOIN jobs j ON j.id = q.job_id
WHERE q.by_failing <= :top OR q.by_slow <= :top OR q.by_late <= :top OR q.by_grown <= :top;

-- statistics/report_facts.py FIGURES
SELECT s.start_at, s.resolution, s.job_id, s.is_part, s.node, s.runs, s.succeeded, s.failed, s.retries, s.last_at, s.took, s.took_us, s.took_max_us, s.took_sketch, s.delays, s.delay_us, s.delay_max_us, s.delay_sketch, s.kinds FROM (SELECT json_extract(value, '$[0]') AS resolution, json_extract(value, '$[1]') AS start_at, json_extract(value, '$[2]') AS job_id FROM json_each(:d)) AS d CROSS JOIN stats s
ON s.resolution = d.resolution AND s.start_at = d.start_at AND s.job_id = d.job_id AND s.is_part = 0;

-- statistics/report_facts.py CROWDED
SELECT s.start_at FROM (SELECT json_extract(value, '$[0]') AS start_at FROM json_each(:d)) AS d CROSS JOIN stats s
ON s.resolution = :resolution AND s.start_at = d.start_at AND s.job_id = 0 AND s.is_part = 0
   AND s.node = ''
ORDER BY s.runs DESC, s.start_at LIMIT :rows;

-- statistics/report_facts.py CROWD.own
SELECT s.start_at, sum(s.runs) AS runs, count(DISTINCT s.job_id) AS jobs, max(s.delay_max_us) AS delay_max_us
FROM (SELECT json_extract(value, '$[0]') AS start_at FROM json_each(:d)) AS d CROSS JOIN stats s
ON s.resolution = :resolution AND s.start_at = d.start_at AND s.job_id > 0
WHERE s.is_part = 0 AND s.job_id IN (SELECT own.id FROM jobs own WHERE own.namespace = :namespace)
GROUP BY s.start_at ORDER BY runs DESC, s.start_at LIMIT :rows;

-- statistics/report_facts.py CROWD.every
SELECT s.start_at, sum(s.runs) AS runs, count(DISTINCT s.job_id) AS jobs, max(s.delay_max_us) AS delay_max_us
FROM (SELECT json_extract(value, '$[0]') AS start_at FROM json_each(:d)) AS d CROSS JOIN stats s
ON s.resolution = :resolution AND s.start_at = d.start_at AND s.job_id > 0
WHERE s.is_part = 0
GROUP BY s.start_at ORDER BY runs DESC, s.start_at LIMIT :rows;

-- statistics/report_facts.py NODES.own
SELECT s.node, sum(s.runs) AS runs, sum(s.failed) AS failed, sum(s.took_us) AS took_us
FROM (SELECT json_extract(value, '$[0]') AS period, json_extract(value, '$[1]') AS resolution, json_extract(value, '$[2]') AS start_at FROM json_each(:d)) AS d CROSS JOIN stats s
ON s.resolution = d.resolution AND s.start_at = d.start_at AND s.job_id > 0
WHERE d.period = 0 AND s.node > '' AND s.job_id IN (SELECT own.id FROM jobs own WHERE own.namespace = :namespace)
GROUP BY s.node ORDER BY took_us DESC, s.node LIMIT :rows;

-- statistics/report_facts.py NODES.every
SELECT s.node, sum(s.runs) AS runs, sum(s.failed) AS failed, sum(s.took_us) AS took_us
FROM (SELECT json_extract(value, '$[0]') AS period, json_extract(value, '$[1]') AS resolution, json_extract(value, '$[2]') AS start_at FROM json_each(:d)) AS d CROSS JOIN stats s
ON s.resolution = d.resolution AND s.start_at = d.start_at AND s.job_id = 0
WHERE d.period = 0 AND s.node > ''
GROUP BY s.node ORDER BY took_us DESC, s.node LIMIT :rows;

-- statistics/report_facts.py LOADS
SELECT s.node, max(s.kind) AS kind, sum(s.samples) AS samples, sum(s.online) AS online, sum(s.warning) AS warning, sum(s.offline) AS offline, sum(s.scheduled) AS scheduled, sum(s.skipped) AS skipped, sum(s.leased) AS leased, sum(s.cpu_count) AS cpu_count, sum(s.memory_count) AS memory_count, sum(s.disk_count) AS disk_count, sum(s.score_count) AS score_count, sum(s.threads_count) AS threads_count, sum(s.running_count) AS running_count, sum(s.slots_count) AS slots_count, sum(s.cpu_sum) AS cpu_sum, sum(s.memory_sum) AS memory_sum, sum(s.disk_sum) AS disk_sum, sum(s.score_sum) AS score_sum, sum(s.threads_sum) AS threads_sum, sum(s.running_sum) AS running_sum, sum(s.slots_sum) AS slots_sum, max(s.cpu_max) AS cpu_max, max(s.memory_max) AS memory_max, max(s.disk_max) AS disk_max, max(s.score_max) AS score_max, max(s.threads_max) AS threads_max, max(s.running_max) AS running_max, max(s.slots_max) AS slots_max FROM (SELECT json_extract(value, '$[0]') AS period, json_extract(value, '$[1]') AS resolution, json_extract(value, '$[2]') AS start_at FROM json_each(:d)) AS d CROSS JOIN node_loads s
ON s.resolution = d.resolution AND s.start_at = d.start_at
WHERE d.period = 0 GROUP BY s.node ORDER BY s.node LIMIT :rows;

-- statistics/report_facts.py SKIPS.own
    SELECT s.reason, sum(s.count * (
    CASE WHEN s.to_at = s.from_at THEN 1.0
         ELSE 1.0 * ((CASE WHEN s.to_at < :until THEN s.to_at ELSE :until END)
                     - (CASE WHEN s.from_at > :since THEN s.from_at ELSE :since END)) / (s.to_at - s.from_at) END
)) AS instants
    FROM jobs own CROSS JOIN skips s ON s.job_id = own.id AND s.to_at >= :since
    WHERE s.from_at < :until AND own.namespace = :namespace GROUP BY s.reason;

-- statistics/report_facts.py SKIPS.every
    SELECT s.reason, sum(s.count * (
    CASE WHEN s.to_at = s.from_at THEN 1.0
         ELSE 1.0 * ((CASE WHEN s.to_at < :until THEN s.to_at ELSE :until END)
                     - (CASE WHEN s.from_at > :since THEN s.from_at ELSE :since END)) / (s.to_at - s.from_at) END
)) AS instants
    FROM jobs own CROSS JOIN skips s ON s.job_id = own.id AND s.to_at >= :since
    WHERE s.from_at < :until  GROUP BY s.reason;

-- statistics/report_facts.py ALERT_COUNTS.own
SELECT q.level, sum(q.fired) AS fired, sum(q.still) AS still FROM (
  SELECT a.level, count(*) AS fired, 0 AS still FROM alerts a
  WHERE a.resolved_at >= :since AND a.fired_at >= :since AND a.fired_at < :until AND a.namespace = :namespace GROUP BY a.level
  UNION ALL
  SELECT a.level, count(*) AS fired, count(*) AS still FROM alerts a
  WHERE a.resolved_at IS NULL AND a.fired_at >= :since AND a.fired_at < :until AND a.namespace = :namespace GROUP BY a.level
) q GROUP BY q.level;

-- statistics/report_facts.py ALERT_COUNTS.every
SELECT q.level, sum(q.fired) AS fired, sum(q.still) AS still FROM (
  SELECT a.level, count(*) AS fired, 0 AS still FROM alerts a
  WHERE a.resolved_at >= :since AND a.fired_at >= :since AND a.fired_at < :until  GROUP BY a.level
  UNION ALL
  SELECT a.level, count(*) AS fired, count(*) AS still FROM alerts a
  WHERE a.resolved_at IS NULL AND a.fired_at >= :since AND a.fired_at < :until  GROUP BY a.level
) q GROUP BY q.level;

-- statistics/report_facts.py ALERTS.own
SELECT a.id, a.open_key, a.namespace, a.rule, a.kind, a.level, a.state, a.job_id, a.cause, a.channels, a.runbook, a.began_at, a.fired_at, a.last_at, a.resolved_at, a.acked_at, a.acked_by, a.ack_note, a.silence_id, a.step, a.escalates_from, a.told_at, a.acted, a.seen, a.ver, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id) AS subject_count, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id AND s.ended_at IS NULL) AS open_count FROM alerts a
WHERE (a.resolved_at >= :since OR a.resolved_at IS NULL) AND a.fired_at >= :since AND a.fired_at < :until AND a.namespace = :namespace
ORDER BY CASE a.level WHEN 'critical' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END, a.id DESC LIMIT :rows;

-- statistics/report_facts.py ALERTS.every
SELECT a.id, a.open_key, a.namespace, a.rule, a.kind, a.level, a.state, a.job_id, a.cause, a.channels, a.runbook, a.began_at, a.fired_at, a.last_at, a.resolved_at, a.acked_at, a.acked_by, a.ack_note, a.silence_id, a.step, a.escalates_from, a.told_at, a.acted, a.seen, a.ver, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id) AS subject_count, (SELECT count(*) FROM alert_subjects s WHERE s.alert_id = a.id AND s.ended_at IS NULL) AS open_count FROM alerts a
WHERE (a.resolved_at >= :since OR a.resolved_at IS NULL) AND a.fired_at >= :since AND a.fired_at < :until
ORDER BY CASE a.level WHEN 'critical' THEN 0 WHEN 'warning' THEN 1 ELSE 2 END, a.id DESC LIMIT :rows;

-- statistics/report_facts.py COUNT_OF_JOBS.own
SELECT count(*) AS jobs,
       coalesce(sum(CASE WHEN own.created_at >= :since AND own.created_at < :until THEN 1 ELSE 0 END), 0) AS fresh
FROM jobs own WHERE own.deleted_at = 0 AND own.namespace = :namespace;

-- statistics/report_facts.py COUNT_OF_JOBS.every
SELECT count(*) AS jobs,
       coalesce(sum(CASE WHEN own.created_at >= :since AND own.created_at < :until THEN 1 ELSE 0 END), 0) AS fresh
FROM jobs own WHERE own.deleted_at = 0;

-- statistics/report_schedules.py ALL
SELECT namespace, name, version, document, next_at, last_at, updated_at, updated_by FROM report_schedules ORDER BY namespace, name LIMIT 1000;

-- statistics/report_schedules.py OF
SELECT namespace, name, version, document, next_at, last_at, updated_at, updated_by FROM report_schedules WHERE namespace = :namespace ORDER BY name LIMIT 1000;

-- statistics/report_schedules.py FIND
SELECT namespace, name, version, document, next_at, last_at, updated_at, updated_by FROM report_schedules WHERE namespace = :namespace AND name = :name;

-- statistics/report_schedules.py ADD
INSERT INTO report_schedules (namespace, name, version, document, next_at, updated_at, updated_by, reason)
SELECT d.namespace, d.name, 1, d.document, d.next_at, foliot_now(), d.made_by, d.reason FROM (SELECT json_extract(value, '$[0]') AS namespace, json_extract(value, '$[1]') AS name, json_extract(value, '$[2]') AS document, json_extract(value, '$[3]') AS next_at, json_extract(value, '$[4]') AS made_by, json_extract(value, '$[5]') AS reason FROM json_each(:d)) AS d WHERE true
ON CONFLICT DO NOTHING;

-- statistics/report_schedules.py CHANGE
UPDATE report_schedules SET version = version + 1, document = :document, next_at = :next_at, updated_at = foliot_now(),
                            updated_by = :made_by, reason = :reason
WHERE namespace = :namespace AND name = :name;

-- statistics/report_schedules.py REMOVE
DELETE FROM report_schedules WHERE namespace = :namespace AND name = :name;

-- statistics/report_schedules.py NEXT
SELECT min(next_at) FROM report_schedules WHERE next_at > 0;

-- statistics/report_schedules.py DUE
SELECT namespace, name, version, document, next_at, last_at, updated_at, updated_by FROM report_schedules WHERE next_at <= :until ORDER BY next_at, namespace, name LIMIT :rows;

-- statistics/report_schedules.py MOVE
UPDATE report_schedules SET next_at = :next_at, last_at = :last_at
WHERE namespace = :namespace AND name = :name AND next_at = :seen AND version = :version;

-- statistics/uncounted_runs.py PROGRESS
SELECT coalesce(max(p.ver), 0) AS ver, coalesce(max(p.counted_id), 0) AS counted_id,
       (SELECT coalesce(max(r.id), 0) FROM runs r) AS newest_id,
       (SELECT min(l.look_at) FROM stats_left l) AS look_at, foliot_now() AS now_us
FROM stats_progress p WHERE p.id = 1;

-- statistics/uncounted_runs.py PASSED
SELECT q.id, q.job_id, q.is_part, n.name, q.state, q.kind, q.failures, q.not_before, q.created_at, q.started_at,
       q.ended_at, q.follow FROM (
  SELECT
r.id, r.job_id, CASE WHEN r.shard = -1 AND r.parent_id IS NULL THEN 0 ELSE 1 END AS is_part, r.state, r.kind,
r.failures, r.not_before, r.created_at, r.started_at, r.ended_at, r.session_id, r.follow FROM runs r WHERE r.id > :after AND r.id <= :until ORDER BY r.id LIMIT :rows
) q LEFT JOIN nodes n ON n.id = q.session_id;

-- statistics/uncounted_runs.py FOUND
SELECT q.id, q.job_id, q.is_part, n.name, q.state, q.kind, q.failures, q.not_before, q.created_at, q.started_at,
       q.ended_at, q.follow FROM (
  SELECT
r.id, r.job_id, CASE WHEN r.shard = -1 AND r.parent_id IS NULL THEN 0 ELSE 1 END AS is_part, r.state, r.kind,
r.failures, r.not_before, r.created_at, r.started_at, r.ended_at, r.session_id, r.follow FROM runs r WHERE r.id IN (SELECT d.id FROM (SELECT json_extract(value, '$[0]') AS id FROM json_each(:d)) AS d)
) q LEFT JOIN nodes n ON n.id = q.session_id;

-- statistics/uncounted_runs.py UNCOUNTED
SELECT q.id, q.job_id, q.is_part, n.name, q.state, q.kind, q.failures, q.not_before, q.created_at, q.started_at,
       q.ended_at, q.follow FROM (
  SELECT
r.id, r.job_id, CASE WHEN r.shard = -1 AND r.parent_id IS NULL THEN 0 ELSE 1 END AS is_part, r.state, r.kind,
r.failures, r.not_before, r.created_at, r.started_at, r.ended_at, r.session_id, r.follow FROM runs r WHERE r.job_id = :job_id AND r.id > :after ORDER BY r.id DESC LIMIT :rows
) q LEFT JOIN nodes n ON n.id = q.session_id;

-- statistics/uncounted_runs.py LEFT
SELECT first_id, run_ids, left_at, look_at FROM stats_left ORDER BY look_at LIMIT :rows;

-- store.py _SETTINGS
SELECT journal_mode, synchronous FROM pragma_journal_mode, pragma_synchronous;
