//! A liquid whose steps are taken on a device, as a stepper. The state comes back when a checkpoint asks; a frame brings
//! what it shows, while the next step runs.

use std::io::Write;
use std::sync::Arc;

use unstick_gpu::{GpuLiquid, PendingView};

use super::RunError;
use super::liquid::{columns, record_of};
use super::stepper::{Snapshot, StateError, StepBound, StepRecord, Stepper, Value};
use crate::coming::ComingFrame;
use crate::frame::Frame;

impl<const D: usize> Stepper<D> for GpuLiquid<D> {
    fn time(&self) -> f64 {
        GpuLiquid::time(self)
    }

    fn step(&self) -> u64 {
        GpuLiquid::step(self)
    }

    fn next_step(&self, time: f64) -> Option<f64> {
        GpuLiquid::next_step(self, time)
    }

    fn bound(&self) -> StepBound {
        let setup = self.setup();
        StepBound { speed: self.fastest(), cell: setup.grid.spacing(), cfl: setup.cfl }
    }

    fn advance(&mut self, length: f64) -> Result<StepRecord, RunError> {
        let report = GpuLiquid::advance(self, length)?;
        Ok(record_of(report, GpuLiquid::step(self)))
    }

    fn check_state(&self) -> Result<(), RunError> {
        Ok(GpuLiquid::check_state(self)?)
    }

    fn frame(&self, number: usize) -> Frame<D> {
        match self.begin_view().map(PendingView::wait) {
            Some(Ok(view)) => Frame::of_view(view, self.setup().grid, self.setup().density, number),
            _ => self.show(|simulation| simulation.frame(number)),
        }
    }

    fn begin_frame(&self, number: usize) -> ComingFrame<D> {
        let (grid, density) = (self.setup().grid, self.setup().density);
        match self.begin_view() {
            Some(view) => ComingFrame::new(move || {
                let view = view.wait().map_err(|error| error.to_string())?;
                Ok(Frame::of_view(view, grid, density, number))
            }),
            None => ComingFrame::there(Arc::new(self.show(|simulation| simulation.frame(number)))),
        }
    }

    fn store(&self, to: &mut dyn Write) -> Result<(), StateError> {
        self.show(|simulation| simulation.store(to))
    }

    fn snapshot(&self, _may_copy: bool) -> Option<Box<dyn Snapshot>> {
        Some(Box::new(self.show(|simulation| simulation.state().clone())))
    }

    fn columns(&self) -> Vec<String> {
        columns()
    }

    fn summary(&self) -> Vec<(&'static str, Value)> {
        self.show(Stepper::summary)
    }

    fn body_columns(&self) -> String {
        self.show(Stepper::body_columns)
    }

    fn write_bodies(&self, _: &mut String) {}
}
