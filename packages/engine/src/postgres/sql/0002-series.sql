-- Measurements, packed: outside the log, forgotten by age.
CREATE TABLE stead.series (
  subject text COLLATE "C" NOT NULL, track text COLLATE "C" NOT NULL, start bigint NOT NULL, data text NOT NULL,
  PRIMARY KEY (subject, track, start)
) WITH (fillfactor = 75);
CREATE INDEX series_by_age ON stead.series (track, start);
-- What is in it is compressed already.
ALTER TABLE stead.series ALTER COLUMN data SET STORAGE EXTERNAL;
