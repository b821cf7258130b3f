// Package openmetrics writes the figures of a document as OpenMetrics text, which Prometheus and
// its kin read: percentiles with their bounds, the stages of slow and of usual requests, errors,
// and the verdict.
//
// All figures are gauges: what they were for the requests of the document. They are in base
// units, seconds and ratios. A figure that is not known has no sample, so that nobody takes a
// missing percentile for a fast one. Beside every group of figures stands the number of requests
// that it is of.
//
//	tailpath_e2e_seconds{quantile="0.99"} 4.141332163
//	tailpath_e2e_low_seconds{quantile="0.99"} 3.450102553
//	tailpath_e2e_high_seconds{quantile="0.99"} 5.215562764
//	tailpath_stage_ratio{metric="e2e",group="tail",stage="queue"} 0.5996921194104845
//	tailpath_verdict{metric="e2e",tailpath_verdict="leads"} 1
//
// # Guarantees
//
//   - The text follows version 1.0 of the format: families are whole and come one after the
//     other, each with type, unit and help before its samples, and # EOF ends the text.
//   - Samples have no timestamps, as the format wants it for what is scraped; those of the report
//     of a week have the end of its capture, so that a store that takes old samples keeps the
//     weeks apart.
//   - Equal documents give equal bytes.
//
// # Example
//
//	err := openmetrics.Write(os.Stdout, doc)
package openmetrics
